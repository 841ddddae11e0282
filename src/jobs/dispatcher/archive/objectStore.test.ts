import { expect, test } from 'vitest'
import { UserError } from '../../../base/errors.ts'
import { openObjectStore, signed } from './objectStore.ts'

// The example "GET Object" of "Authenticating Requests: Using the Authorization Header" in the Amazon S3 API Reference.
test('requests have the signature of the protocol', () => {
  const headers = signed(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      body: new Uint8Array(),
      headers: { range: 'bytes=0-9' },
    },
    {
      accessKey: 'AKIAIOSFODNN7EXAMPLE',
      secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
    },
    new Date('2013-05-24T00:00:00Z'),
  )
  expect(headers['authorization']).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  )
})

test('a URL that names no bucket or no key is refused, without its secret', () => {
  for (const url of ['', 'ftp://a:secret@h/b', 'https://h/bucket', 'https://a:secret@h/']) {
    let thrown: unknown
    try {
      openObjectStore(url)
    } catch (error) {
      thrown = error
    }
    expect(thrown, url).toBeInstanceOf(UserError)
    expect(String(thrown)).not.toContain('secret')
  }
})
