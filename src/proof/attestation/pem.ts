/**
 * Certificates and revocation lists in PEM (RFC 7468), in the form that hardware vendors write: lines of 64 characters, ended by a line
 * feed.
 */
import { fromBase64 } from '../../base/base64.ts'

const LINE = 64
const MAX_LENGTH = 65_536

/** The DER certificates of a text, in order. Throws SyntaxError on any other character. */
export function readPem(text: string): readonly Uint8Array[] {
  return readBlocks(text, 'CERTIFICATE')
}

/** The DER revocation lists of a text, in order. Throws SyntaxError on any other character. */
export function readPemCrl(text: string): readonly Uint8Array[] {
  return readBlocks(text, 'X509 CRL')
}

function readBlocks(text: string, label: string): readonly Uint8Array[] {
  if (text.length > MAX_LENGTH) throw new SyntaxError('PEM is too long')
  const blocks: Uint8Array[] = []
  let body: string[] | undefined
  if (!text.endsWith('\n')) throw new SyntaxError('PEM does not end with a line')
  for (const line of text.slice(0, -1).split('\n')) {
    if (body === undefined) {
      if (line !== `-----BEGIN ${label}-----`)
        throw new SyntaxError(`PEM does not begin with ${label}`)
      body = []
    } else if (line === `-----END ${label}-----`) {
      blocks.push(readBody(body))
      body = undefined
    } else body.push(line)
  }
  if (body !== undefined) throw new SyntaxError(`PEM ends within ${label}`)
  return blocks
}

function readBody(lines: readonly string[]): Uint8Array {
  const isEven = lines.slice(0, -1).every((line) => line.length === LINE)
  const bytes =
    isEven && (lines.at(-1)?.length ?? 0) <= LINE ? fromBase64(lines.join('')) : undefined
  if (bytes === undefined) throw new SyntaxError('PEM is not base64 in lines of 64')
  return bytes
}
