/** Modular exponentiation (0x05): EIP-198 with the prices of EIP-2565, from Osaka on of EIP-7883 with the limits of EIP-7823. */
import { bigintToFixedBytes, bytesToBigint, EMPTY_BYTES } from '../../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../../base/hex.ts'
import { includesFork, type Hardfork } from '../../rules.ts'
import { paddedSlice, type Precompile } from './precompile.ts'

const HEADER = 96
/** EIP-7823: maximum length of base, exponent and modulus in bytes. */
const MAX_OSAKA_LENGTH = 1024n
/** The exponent's first bytes, whose bits are counted for the price. */
const HEAD = 32

type Lengths = { readonly base: bigint; readonly exponent: bigint; readonly modulus: bigint }

function lengthsOf(input: Uint8Array): Lengths {
  return {
    base: bytesToBigint(paddedSlice(input, 0, 32)),
    exponent: bytesToBigint(paddedSlice(input, 32, 32)),
    modulus: bytesToBigint(paddedSlice(input, 64, 32)),
  }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Approximate number of iterations over the exponent. */
function iterations(input: Uint8Array, { base, exponent }: Lengths, perByte: bigint): bigint {
  const headLength = exponent < BigInt(HEAD) ? Number(exponent) : HEAD
  const start = BigInt(HEADER) + base
  const head =
    start < BigInt(input.length) ? bytesToBigint(paddedSlice(input, Number(start), headLength)) : 0n
  const headBits = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  const rest = exponent > BigInt(HEAD) ? exponent - BigInt(HEAD) : 0n
  return max(rest * perByte + headBits, 1n)
}

function gasOf(input: Uint8Array, hardfork: Hardfork): bigint {
  const lengths = lengthsOf(input)
  const longest = max(lengths.base, lengths.modulus)
  const words = (longest + 7n) / 8n
  if (!includesFork({ hardfork }, 'osaka'))
    return max((words * words * iterations(input, lengths, 8n)) / 3n, 200n)
  const complexity = longest > 32n ? 2n * words * words : 16n
  return max(complexity * iterations(input, lengths, 16n), 500n)
}

/** Exponents below this are processed bit by bit: a table of powers would cost more than it saves. */
const SHORT_EXPONENT = 0x1_0000n

function shortPowerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (exponent === 0n) return 1n
  const bits = exponent.toString(2)
  let result = base
  for (let i = 1; i < bits.length; i++) {
    result = (result * result) % modulus
    if (bits[i] === '1') result = (result * base) % modulus
  }
  return result
}

/** base ** exponent % modulus by squaring, four bits of a long exponent at a time. */
function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n || modulus === 1n) return 0n
  const reduced = base % modulus
  if (exponent < SHORT_EXPONENT) return shortPowerModulo(reduced, exponent, modulus)
  const powers = [1n, reduced]
  for (let i = 2; i < 16; i++) powers.push(((powers[i - 1] as bigint) * reduced) % modulus)
  let result = 1n
  for (const digit of exponent.toString(16)) {
    for (let i = 0; i < 4; i++) result = (result * result) % modulus
    if (digit !== '0') result = (result * (powers[Number.parseInt(digit, 16)] as bigint)) % modulus
  }
  return result
}

// Long numbers are converted through hex, which the JavaScript engine parses and formats faster than any loop here.
const numberOf = (bytes: Uint8Array): bigint =>
  bytes.length <= HEAD ? bytesToBigint(bytes) : BigInt(`0x${toHexDigits(bytes)}`)
const fixedBytes = (value: bigint, size: number): Uint8Array =>
  size <= HEAD
    ? bigintToFixedBytes(value, size)
    : fromHex(value.toString(16).padStart(2 * size, '0'))

export const modexp: Precompile = {
  gas: gasOf,
  run(input, hardfork) {
    const { base, exponent, modulus } = lengthsOf(input)
    const isTooLong = [base, exponent, modulus].some((length) => length > MAX_OSAKA_LENGTH)
    if (includesFork({ hardfork }, 'osaka') && isTooLong) return undefined
    if (modulus === 0n) return EMPTY_BYTES
    // The gas is paid, so the lengths are small, except that of a base or exponent whose cost is multiplied by zero.
    const size = Number(modulus)
    const value = (offset: bigint, length: bigint): bigint =>
      offset >= BigInt(input.length)
        ? 0n
        : numberOf(paddedSlice(input, Number(offset), Number(length)))
    const start = BigInt(HEADER)
    const result = powerModulo(
      value(start, base),
      value(start + base, exponent),
      value(start + base + exponent, modulus),
    )
    return fixedBytes(result, size)
  },
}
