/**
 * The hex digits of addresses, as keys of maps. The few addresses of a transaction are looked up about ten times
 * between the pool and the indexes: a cached text costs one comparison and already carries its hash.
 */
import { toHexDigits } from './hex.ts'

const ADDRESS_SIZE = 20

/** A power of two: the last bits of an address select its slot. Addresses with the same slot evict each other. */
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
