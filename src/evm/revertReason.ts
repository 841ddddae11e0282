/** The sentence inside revert data, as go-ethereum reports it. */
import { bytesToBigint, equalBytes } from '../base/bytes.ts'

/** Selector of Error(string). */
const ERROR_SELECTOR = Uint8Array.of(0x08, 0xc3, 0x79, 0xa0)
/** Selector of Panic(uint256). */
const PANIC_SELECTOR = Uint8Array.of(0x4e, 0x48, 0x7b, 0x71)

const PANICS: Readonly<Record<string, string>> = {
  '0': 'generic panic',
  '1': 'assert(false)',
  '17': 'arithmetic underflow or overflow',
  '18': 'division or modulo by zero',
  '33': 'enum overflow',
  '34': 'invalid encoded storage byte array accessed',
  '49': 'out-of-bounds array access; popping on an empty array',
  '50': 'out-of-bounds access of an array or bytesN',
  '65': 'out of memory',
  '81': 'uninitialized function',
}

function decodeString(data: Uint8Array): string | undefined {
  const offset = bytesToBigint(data.subarray(0, 32))
  if (data.length < 64 || offset > BigInt(data.length - 32)) return undefined
  const start = Number(offset) + 32
  const length = bytesToBigint(data.subarray(start - 32, start))
  if (length > BigInt(data.length - start)) return undefined
  return new TextDecoder().decode(data.subarray(start, start + Number(length)))
}

/** The reason in revert data (Error(string) or Panic(uint256)), or undefined. */
export function revertReason(output: Uint8Array): string | undefined {
  const selector = output.subarray(0, 4)
  const data = output.subarray(4)
  if (equalBytes(selector, ERROR_SELECTOR)) return decodeString(data)
  if (!equalBytes(selector, PANIC_SELECTOR) || data.length < 32) return undefined
  const code = bytesToBigint(data.subarray(0, 32))
  return PANICS[code.toString()] ?? `unknown panic code: 0x${code.toString(16)}`
}

/** "execution reverted", with the reason if there is one. */
export function revertMessage(output: Uint8Array): string {
  const reason = revertReason(output)
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`
}
