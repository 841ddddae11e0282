// Call data of the benchmarks' contracts.
import { utf8 } from '../../dist/base/bytes.js'
import { toHexDigits } from '../../dist/base/hex.js'
import { keccak256 } from '../../dist/base/keccak.js'

/** A number or a hex text as one word, without 0x. */
export function word(value) {
  return BigInt(value).toString(16).padStart(64, '0')
}

/** Call data of a function, for example `transfer(address,uint256)`, with arguments of one word each, in hex. */
export function callData(signature, ...words) {
  const selector = toHexDigits(keccak256(utf8(signature)).subarray(0, 4))
  return `0x${selector}${words.map(word).join('')}`
}

/** The slot of a key in the mapping at a slot, in hex. */
export function mappingSlot(key, slot) {
  return `0x${toHexDigits(keccak256(Buffer.from(word(key) + word(slot), 'hex')))}`
}
