/** Modular exponentiation (0x05): EIP-198 with the prices of EIP-2565, from Osaka on of EIP-7883 with the limits of EIP-7823. */
import { bigintToFixedBytes, bytesToBigint, EMPTY_BYTES } from '../../../base/bytes.ts'
import { includesFork, type Hardfork } from '../../rules.ts'
import { paddedSlice, type Precompile } from './precompile.ts'

const HEADER = 96
/** EIP-7823: the most bytes of base, exponent and modulus. */
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

/** How many times the loop over the exponent runs, more or less. */
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

/** base ** exponent % modulus by squaring, four bits of the exponent at a time. */
function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n || modulus === 1n) return 0n
  const powers = [1n, base % modulus]
  for (let i = 2; i < 16; i++)
    powers.push(((powers[i - 1] as bigint) * (powers[1] as bigint)) % modulus)
  let result = 1n
  for (const digit of exponent.toString(16)) {
    for (let i = 0; i < 4; i++) result = (result * result) % modulus
    if (digit !== '0') result = (result * (powers[Number.parseInt(digit, 16)] as bigint)) % modulus
  }
  return result
}

export const modexp: Precompile = {
  gas: gasOf,
  run(input, hardfork) {
    const { base, exponent, modulus } = lengthsOf(input)
    const isTooLong = [base, exponent, modulus].some((length) => length > MAX_OSAKA_LENGTH)
    if (includesFork({ hardfork }, 'osaka') && isTooLong) return undefined
    if (modulus === 0n) return EMPTY_BYTES
    // Paid for, so the lengths are small, all but that of a base or exponent which multiplies into nothing.
    const size = Number(modulus)
    const value = (offset: bigint, length: bigint): bigint =>
      offset >= BigInt(input.length)
        ? 0n
        : bytesToBigint(paddedSlice(input, Number(offset), Number(length)))
    const start = BigInt(HEADER)
    const result = powerModulo(
      value(start, base),
      value(start + base, exponent),
      value(start + base + exponent, modulus),
    )
    return bigintToFixedBytes(result, size)
  },
}
