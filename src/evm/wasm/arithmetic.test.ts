/** Every arithmetic opcode against bigint, on values at the edges of limbs and on any others. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EVM_BLOCK } from '../../../test/support/evmBlock.ts'
import { bigintToFixedBytes, bytesToBigint, concatBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { EMPTY_CODE_HASH, type StateView } from '../types.ts'
import { createWasmEngine } from './engine.ts'

const WORD = 1n << 256n
const CALLER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)
const engine = createWasmEngine()

/** The result of an opcode for these operands, the first one on top. */
function evaluate(opcode: number, operands: readonly bigint[]): bigint {
  const pushes = operands
    .toReversed()
    .flatMap((operand) => [Uint8Array.of(0x7f), bigintToFixedBytes(operand, 32)])
  // MSTORE(0, result), RETURN(0, 32)
  const code = concatBytes(...pushes, Uint8Array.of(opcode, 0x5f, 0x52, 0x60, 32, 0x5f, 0xf3))
  const codeHash = keccak256(code)
  const state: StateView = {
    ...emptyState,
    account: (address) => ({
      nonce: 1n,
      balance: 0n,
      codeHash: address[0] === 0xbb ? codeHash : EMPTY_CODE_HASH,
    }),
    code: () => code,
  }
  const { status, output } = engine.execute(
    {
      caller: CALLER,
      to: TARGET,
      value: 0n,
      data: new Uint8Array(0),
      gasLimit: 1_000_000n,
      gasPrice: 0n,
      origin: CALLER,
      nonce: 0n,
      accessList: [],
    },
    EVM_BLOCK,
    state,
  )
  expect(status).toBe('success')
  return bytesToBigint(output)
}

const signed = (value: bigint): bigint => BigInt.asIntN(256, value)
const wrapped = (value: bigint): bigint => BigInt.asUintN(256, value)
const truth = (value: boolean): bigint => (value ? 1n : 0n)

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2))
    result = (((result * result) % WORD) * (bit === '1' ? base : 1n)) % WORD
  return result
}

function signExtend(index: bigint, value: bigint): bigint {
  if (index > 30n) return value
  return wrapped(BigInt.asIntN((Number(index) + 1) * 8, value))
}

type Operation = (a: bigint, b: bigint, c: bigint) => bigint

const OPERATIONS: readonly (readonly [string, number, number, Operation])[] = [
  ['ADD', 0x01, 2, (a, b) => wrapped(a + b)],
  ['MUL', 0x02, 2, (a, b) => wrapped(a * b)],
  ['SUB', 0x03, 2, (a, b) => wrapped(a - b)],
  ['DIV', 0x04, 2, (a, b) => (b === 0n ? 0n : a / b)],
  ['SDIV', 0x05, 2, (a, b) => (b === 0n ? 0n : wrapped(signed(a) / signed(b)))],
  ['MOD', 0x06, 2, (a, b) => (b === 0n ? 0n : a % b)],
  ['SMOD', 0x07, 2, (a, b) => (b === 0n ? 0n : wrapped(signed(a) % signed(b)))],
  ['ADDMOD', 0x08, 3, (a, b, c) => (c === 0n ? 0n : (a + b) % c)],
  ['MULMOD', 0x09, 3, (a, b, c) => (c === 0n ? 0n : (a * b) % c)],
  ['EXP', 0x0a, 2, power],
  ['SIGNEXTEND', 0x0b, 2, signExtend],
  ['LT', 0x10, 2, (a, b) => truth(a < b)],
  ['GT', 0x11, 2, (a, b) => truth(a > b)],
  ['SLT', 0x12, 2, (a, b) => truth(signed(a) < signed(b))],
  ['SGT', 0x13, 2, (a, b) => truth(signed(a) > signed(b))],
  ['EQ', 0x14, 2, (a, b) => truth(a === b)],
  ['ISZERO', 0x15, 1, (a) => truth(a === 0n)],
  ['AND', 0x16, 2, (a, b) => a & b],
  ['OR', 0x17, 2, (a, b) => a | b],
  ['XOR', 0x18, 2, (a, b) => a ^ b],
  ['NOT', 0x19, 1, (a) => WORD - 1n - a],
  ['BYTE', 0x1a, 2, (a, b) => (a > 31n ? 0n : (b >> (8n * (31n - a))) & 0xffn)],
  ['SHL', 0x1b, 2, (a, b) => (a > 255n ? 0n : wrapped(b << a))],
  ['SHR', 0x1c, 2, (a, b) => (a > 255n ? 0n : b >> a)],
  ['SAR', 0x1d, 2, (a, b) => wrapped(signed(b) >> (a > 255n ? 255n : a))],
  ['CLZ', 0x1e, 1, (a) => (a === 0n ? 256n : BigInt(256 - a.toString(2).length))],
]

const bits = fc.integer({ min: 0, max: 256 }).map((length) => (1n << BigInt(length)) % WORD)
const words = fc.oneof(
  fc.bigInt({ min: 0n, max: WORD - 1n }),
  fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
  // Around powers of two: carries, signs, and Knuth's estimates that are one too large.
  fc.tuple(bits, fc.integer({ min: -2, max: 2 })).map(([bit, by]) => wrapped(bit + BigInt(by))),
  fc.tuple(bits, bits).map(([a, b]) => wrapped(a - b)),
)

test.each(OPERATIONS)('%s computes what bigint does', (_, opcode, count, operation) => {
  fc.assert(
    fc.property(words, words, words, (a, b, c) => {
      expect(evaluate(opcode, [a, b, c].slice(0, count))).toBe(operation(a, b, c))
    }),
    { numRuns: 300 },
  )
})
