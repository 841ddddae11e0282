import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { emptyState } from '../../evm/emptyState.ts'
import { decodeEdit, editEffects, encodeEdit } from './edit.ts'

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size })
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })

const edit = fc.record({
  height: fc.nat(),
  accounts: fc.array(
    fc.record({
      address: bytes(20),
      balance: maybe(fc.bigInt(0n, 2n ** 256n - 1n)),
      nonce: maybe(fc.bigInt(0n, 2n ** 64n - 1n)),
      code: maybe(fc.uint8Array({ maxLength: 40 })),
      slots: fc.array(fc.tuple(bytes(32), bytes(32)), { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
  baseFeePerGas: maybe(fc.bigInt(0n, 2n ** 64n)),
  coinbase: maybe(bytes(20)),
  prevRandao: maybe(bytes(32)),
  gasLimit: maybe(fc.bigInt(0n, 2n ** 64n)),
})

test('every edit comes back out of its record', () => {
  fc.assert(
    fc.property(edit, (value) => {
      expect(decodeEdit(encodeEdit(value))).toEqual(value)
    }),
  )
})

test('a record from before blocks could be edited is still one', () => {
  const record = concatBytes(Uint8Array.of(0x7d), encodeRlp([Uint8Array.of(5), [], []]))
  expect(decodeEdit(record)).toMatchObject({ height: 5, accounts: [], coinbase: undefined })
})

test('no bytes make the decoder fail, and few are an edit', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (raw) => {
      const found = decodeEdit(raw)
      expect(found === undefined || raw[0] === 0x7d).toBe(true)
      decodeEdit(Uint8Array.of(0x7d, ...raw))
    }),
  )
  expect(decodeEdit(undefined)).toBeUndefined()
})

test('what an edit leaves out stays, and empty code is none', () => {
  const address = new Uint8Array(20).fill(1)
  const code = Uint8Array.of(0x5f)
  const before = { nonce: 3n, balance: 4n, codeHash: keccak256(code) }
  const state = { ...emptyState, account: () => before }
  const effectOf = (fields: object) =>
    [...editEffects({ height: 1, accounts: [{ address, ...fields }] }, state).values()][0]
  expect(effectOf({ balance: 9n })?.account).toEqual({ ...before, balance: 9n })
  expect(effectOf({ code: new Uint8Array(0) })?.account?.codeHash).not.toEqual(before.codeHash)
  expect(effectOf({ code: new Uint8Array(0) })).not.toHaveProperty('code')
})
