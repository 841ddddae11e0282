/** Hexadecimal text and bytes. */

export type Hex = `0x${string}`

/** Whether a text is 0x and an even number of hex digits; of `bytes` bytes when given. */
export function isHex(text: unknown, bytes?: number): text is Hex {
  if (typeof text !== 'string' || !/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return false
  return bytes === undefined || text.length === 2 + bytes * 2
}

/** The bytes of a hex text, with or without 0x. Throws SyntaxError. */
export function hexToBytes(text: string): Uint8Array {
  const digits = text.replace(/^0x/, '')
  if (!/^(?:[0-9a-fA-F]{2})*$/.test(digits)) throw new SyntaxError('not a hex string')
  const out = new Uint8Array(digits.length / 2)
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(digits.slice(i * 2, i * 2 + 2), 16)
  return out
}

/** 0x and two lower-case digits per byte. */
export function bytesToHex(bytes: Uint8Array): Hex {
  let out = ''
  for (const byte of bytes) out += byte.toString(16).padStart(2, '0')
  return `0x${out}`
}

/** A QUANTITY of the JSON-RPC. */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}
