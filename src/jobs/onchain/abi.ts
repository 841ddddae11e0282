/** The contract ABI, as far as our contracts need it: functions with static one-word types only. */
import { bigintToFixedBytes, bytesToBigint, concatAll, padLeft, utf8 } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'

const WORD = 32

/** A value of one word: an integer, an address (20 bytes) or 32 bytes. */
export type Word = bigint | number | Uint8Array

/** Call data: the selector of a signature such as "anchorerOf(address)", and its arguments. */
export function encodeCall(signature: string, ...args: readonly Word[]): Uint8Array {
  const words = args.map((arg) =>
    arg instanceof Uint8Array ? padLeft(arg, WORD) : bigintToFixedBytes(BigInt(arg), WORD),
  )
  return concatAll([keccak256(utf8(signature)).subarray(0, 4), ...words])
}

/** The words of a return value. Throws RangeError unless there are exactly `count`. */
export function decodeWords(answer: Uint8Array, count: number): readonly Uint8Array[] {
  if (answer.length === 0) throw new RangeError('there is no such contract at that address')
  if (answer.length !== count * WORD)
    throw new RangeError(`the contract returned ${answer.length} bytes instead of ${count} words`)
  return Array.from({ length: count }, (_, at) => answer.subarray(at * WORD, (at + 1) * WORD))
}

/** The only word of a return value as an integer. Throws RangeError. */
export function decodeInteger(answer: Uint8Array): bigint {
  const [word] = decodeWords(answer, 1)
  return bytesToBigint(word as Uint8Array)
}
