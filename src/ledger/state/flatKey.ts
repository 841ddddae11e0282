/** Keys of the flat state: an address for an account, an address and a slot for a value of its storage. */

import { addressDigits } from '../../base/addressDigits.ts'

/** Bytes of an address. */
export const ADDRESS_SIZE = 20

/** The key of a slot (32 bytes): its account's address, then the slot. */
export function slotKey(address: Uint8Array, slot: Uint8Array): Uint8Array {
  const key = new Uint8Array(ADDRESS_SIZE + slot.length)
  key.set(address)
  key.set(slot, ADDRESS_SIZE)
  return key
}

/** Whether a key is an account's. */
export function isAccountKey(key: Uint8Array): boolean {
  return key.length === ADDRESS_SIZE
}

/** The slot that a key ends with. A copy: views of small arrays cost more. */
export function slotOfKey(key: Uint8Array): Uint8Array {
  return key.slice(ADDRESS_SIZE)
}

/** A key of the flat state as a key of a Map. */
export function keyText(key: Uint8Array): string {
  return isAccountKey(key) ? addressDigits(key) : slotText(key)
}

function slotText(key: Uint8Array): string {
  // Two bytes per character, two characters per step: a spread is five times slower. The size is a multiple of four.
  let text = ''
  for (let i = 0; i < key.length; i += 4)
    text += String.fromCharCode(
      ((key[i] as number) << 8) | (key[i + 1] as number),
      ((key[i + 2] as number) << 8) | (key[i + 3] as number),
    )
  return text
}
