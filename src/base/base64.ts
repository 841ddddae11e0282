/** Base64 (RFC 4648, 4) in its one canonical form: padded, no line breaks, no stray bits. */

const CANONICAL =
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/

const CHUNK = 8192

/** The bytes of a canonical base64 text, or undefined. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (!CANONICAL.test(text)) return undefined
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
}

/** The base64 text of the bytes. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  // The number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  return btoa(binary)
}
