/**
 * The hex digits of addresses, as keys of maps. The few addresses of a transaction are asked for some ten times from the
 * pool to the indexes: a text that is at hand costs a comparison, and brings its own hash along.
 */
import { toHexDigits } from './hex.ts'

const ADDRESS_SIZE = 20

/** A power of two: the last bits of an address are its place. What shares one pushes the other out. */
const PLACES = 4096

const addresses = new Uint8Array(PLACES * ADDRESS_SIZE)
const texts: string[] = Array.from({ length: PLACES }, () => '')

/** The 40 lower-case hex digits of a 20-byte address, without a prefix. */
export function addressDigits(address: Uint8Array): string {
  if (address.length !== ADDRESS_SIZE) return toHexDigits(address)
  const place = (((address[18] as number) << 8) | (address[19] as number)) & (PLACES - 1)
  const at = place * ADDRESS_SIZE
  const known = texts[place] as string
  let same = 0
  while (same < ADDRESS_SIZE && addresses[at + same] === address[same]) same++
  if (same === ADDRESS_SIZE && known !== '') return known
  const digits = toHexDigits(address)
  addresses.set(address, at)
  texts[place] = digits
  return digits
}
