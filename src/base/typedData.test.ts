import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { toHex } from './hex.ts'
import { typedDataDigest, TypedDataError, type TypedData } from './typedData.ts'

const MAIL: TypedData = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[2]' },
      { name: 'contents', type: 'bytes' },
      { name: 'tag', type: 'bytes4' },
      { name: 'delta', type: 'int16' },
      { name: 'isUrgent', type: 'bool' },
    ],
  },
  primaryType: 'Mail',
  domain: { name: 'Ether Mail', chainId: 1, verifyingContract: `0x${'cc'.repeat(20)}` },
  message: {
    from: { name: 'Cow', wallets: [`0x${'11'.repeat(20)}`] },
    to: [
      { name: 'Bob', wallets: [] },
      { name: 'Eve', wallets: [`0x${'22'.repeat(20)}`, `0x${'33'.repeat(20)}`] },
    ],
    contents: '0xc0ffee',
    tag: '0x01020304',
    delta: '-5',
    isUrgent: true,
  },
}

test('nested structs, arrays and all kinds of values hash as another library hashes them', () => {
  expect(toHex(typedDataDigest(MAIL))).toBe(
    hashTypedData(MAIL as unknown as Parameters<typeof hashTypedData>[0]),
  )
})

test('any integer of any width hashes as another library hashes it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 32 }), fc.boolean(), fc.bigInt(), (size, signed, any) => {
      const bits = size * 8
      const value = signed ? BigInt.asIntN(bits, any) : BigInt.asUintN(bits, any)
      const data = {
        types: {
          EIP712Domain: [],
          T: [{ name: 'x', type: `${signed ? 'int' : 'uint'}${bits}` }],
        },
        primaryType: 'T',
        domain: {},
        message: { x: value.toString() },
      }
      expect(toHex(typedDataDigest(data))).toBe(
        hashTypedData(data as unknown as Parameters<typeof hashTypedData>[0]),
      )
    }),
  )
})

test.each([
  [{ ...MAIL, primaryType: 'Nothing' }, 'message: unknown type Nothing'],
  [{ ...MAIL, message: { ...MAIL.message, tag: '0x01' } }, 'message.tag: not 4 bytes'],
  [{ ...MAIL, message: { ...MAIL.message, delta: 40_000 } }, 'does not fit into int16'],
  [{ ...MAIL, message: { ...MAIL.message, to: [] } }, 'message.to: expected 2 elements'],
  [{ ...MAIL, message: { ...MAIL.message, from: undefined } }, 'message.from: not an object'],
])('what does not fit is an error that names the field', (data, message) => {
  expect(() => typedDataDigest(data)).toThrow(TypedDataError)
  expect(() => typedDataDigest(data)).toThrow(message)
})

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])(
  'a name that every object has is no type and no member of its own: %s',
  (name) => {
    const types = { EIP712Domain: [], A: [{ name: 'x', type: `${name}[]` }] }
    const data = { types, primaryType: 'A', domain: {}, message: { x: [1] } }
    expect(() => typedDataDigest(data)).toThrow(`message.x[0]: unknown type ${name}`)
    expect(() => typedDataDigest({ ...data, primaryType: name })).toThrow(`unknown type ${name}`)
    const member = { types: { ...types, A: [{ name, type: 'string' }] }, message: {} }
    expect(() => typedDataDigest({ ...data, ...member })).toThrow(`message.${name}: not a string`)
  },
)

test('long chains of types and long lists are no deeper than short ones', () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `T${index}`)
  const chain = names.map((name, index) => [name, [{ name: 'x', type: `T${index + 1}[]` }]])
  const types = { EIP712Domain: [], ...Object.fromEntries(chain) }
  // All values have the same type, whose text is half a megabyte long.
  const message = { x: Array.from({ length: 150_000 }, () => ({ x: [] })) }
  const data = { types, primaryType: 'T0', domain: {}, message }
  expect(typedDataDigest(data)).toHaveLength(32)
})
