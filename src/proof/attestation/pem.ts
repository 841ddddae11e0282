/**
 * Certificates in PEM (RFC 7468), in the form that hardware vendors write: lines of 64 characters, ended by a line
 * feed.
 */
import { fromBase64 } from '../../base/base64.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'
const LINE = 64
const MAX_LENGTH = 65_536

/** The DER certificates of a text, in order. Throws SyntaxError on any other character. */
export function readPem(text: string): readonly Uint8Array[] {
  if (text.length > MAX_LENGTH) throw new SyntaxError('PEM is too long')
  const certificates: Uint8Array[] = []
  let body: string[] | undefined
  if (!text.endsWith('\n')) throw new SyntaxError('PEM does not end with a line')
  for (const line of text.slice(0, -1).split('\n')) {
    if (body === undefined) {
      if (line !== BEGIN) throw new SyntaxError('PEM does not begin with a certificate')
      body = []
    } else if (line === END) {
      certificates.push(readBody(body))
      body = undefined
    } else body.push(line)
  }
  if (body !== undefined) throw new SyntaxError('PEM ends within a certificate')
  return certificates
}

function readBody(lines: readonly string[]): Uint8Array {
  const isEven = lines.slice(0, -1).every((line) => line.length === LINE)
  const bytes =
    isEven && (lines.at(-1)?.length ?? 0) <= LINE ? fromBase64(lines.join('')) : undefined
  if (bytes === undefined) throw new SyntaxError('PEM is not base64 in lines of 64')
  return bytes
}
