import fc from 'fast-check'
import {
  decodeAbiParameters,
  encodeAbiParameters,
  toFunctionSelector,
  type AbiParameter,
} from 'viem'
import { expect, test } from 'vitest'
import { bytesToHex, hexToBytes, type Hex } from '../format/hex.ts'
import { decodeValues } from './decode.ts'
import { encodeValues } from './encode.ts'
import { parseAbi, parseSignature, parseType } from './parse.ts'
import { AbiError, signatureOf, typeName, type AbiType, type AbiValue } from './types.ts'

const hexOf = (size: { minLength: number; maxLength: number }) =>
  fc.uint8Array(size).map((bytes) => bytesToHex(bytes))

const bits = fc.integer({ min: 1, max: 32 }).map((count) => count * 8)

const elementaryType: fc.Arbitrary<AbiType> = fc.oneof(
  bits.map((count) => ({ kind: 'uint' as const, bits: count })),
  bits.map((count) => ({ kind: 'int' as const, bits: count })),
  fc.constantFrom(
    { kind: 'address' } as const,
    { kind: 'bool' } as const,
    { kind: 'string' } as const,
  ),
  fc.option(fc.integer({ min: 1, max: 32 }), { nil: undefined }).map((size) => ({
    kind: 'bytes' as const,
    size,
  })),
)

const anyType: fc.Arbitrary<AbiType> = fc.letrec<{ type: AbiType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    elementaryType,
    fc.record({
      kind: fc.constant('array' as const),
      item: tie('type'),
      length: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    }),
    fc.array(tie('type'), { minLength: 1, maxLength: 3 }).map((types) => ({
      kind: 'tuple' as const,
      fields: types.map((type, index) => ({ name: `f${index}`, type })),
    })),
  ),
})).type

function valueOf(type: AbiType): fc.Arbitrary<AbiValue> {
  switch (type.kind) {
    case 'uint':
      return fc.bigInt({ min: 0n, max: (1n << BigInt(type.bits)) - 1n })
    case 'int':
      return fc.bigInt({
        min: -(1n << BigInt(type.bits - 1)),
        max: (1n << BigInt(type.bits - 1)) - 1n,
      })
    case 'bool':
      return fc.boolean()
    case 'address':
      return hexOf({ minLength: 20, maxLength: 20 })
    case 'string':
      return fc.string({ unit: 'grapheme', maxLength: 80 })
    case 'bytes':
      return hexOf({ minLength: type.size ?? 0, maxLength: type.size ?? 70 })
    case 'array':
      return fc.array(valueOf(type.item), {
        minLength: type.length ?? 0,
        maxLength: type.length ?? 3,
      })
    default:
      return fc.tuple(...type.fields.map((field) => valueOf(field.type)))
  }
}

const typesAndValues = fc
  .array(anyType, { minLength: 1, maxLength: 4 })
  .chain((types) => fc.tuple(fc.constant(types), fc.tuple(...types.map(valueOf))))

/** The other library names tuples "tuple" with components, and wants numbers for small integers. */
function parameterOf(type: AbiType): AbiParameter {
  let suffix = ''
  let inner = type
  while (inner.kind === 'array') {
    suffix = `[${inner.length ?? ''}]${suffix}`
    inner = inner.item
  }
  if (inner.kind !== 'tuple') return { type: typeName(inner) + suffix, name: '' }
  return {
    type: `tuple${suffix}`,
    name: '',
    // Without names it takes and gives lists.
    components: inner.fields.map((field) => parameterOf(field.type)),
  }
}

/** Small integers as bigints and addresses in lower case, as ours are. */
function ours(type: AbiType, value: unknown): AbiValue {
  if (type.kind === 'array') return (value as unknown[]).map((item) => ours(type.item, item))
  if (type.kind === 'tuple')
    return type.fields.map((field, index) => ours(field.type, (value as unknown[])[index]))
  if (typeof value === 'number') return BigInt(value)
  return type.kind === 'address' ? (value as string).toLowerCase() : (value as AbiValue)
}

test('values are encoded as viem encodes them, and decoded from that', () => {
  fc.assert(
    fc.property(typesAndValues, ([types, values]) => {
      const parameters = types.map(parameterOf)
      const encoded = encodeAbiParameters(parameters, values as unknown[])
      expect(bytesToHex(encodeValues(types, values))).toBe(encoded)
      expect(decodeValues(types, hexToBytes(encoded))).toEqual(values)
      const theirs = decodeAbiParameters(parameters, encoded) as unknown[]
      expect(theirs.map((value, index) => ours(types[index]!, value))).toEqual(values)
    }),
    { numRuns: 400 },
  )
})

test('the name of a type is read as that type', () => {
  fc.assert(
    fc.property(anyType, (type) => {
      expect(typeName(parseType(typeName(type)))).toBe(typeName(type))
    }),
  )
})

test('any data is decoded, or refused with AbiError, in little time', () => {
  fc.assert(
    fc.property(
      fc.array(anyType, { minLength: 1, maxLength: 3 }),
      fc.uint8Array({ maxLength: 400 }),
      (types, data) => {
        try {
          decodeValues(types, data)
        } catch (error) {
          expect(error).toBeInstanceOf(AbiError)
        }
      },
    ),
  )
})

test('an array that points into itself again and again is refused', () => {
  // Each level holds many offsets that all lead to the same next level: 40^8 numbers in 10 kB.
  const types = [parseType(`uint256${'[]'.repeat(8)}`)]
  const width = 40
  const level = [width, ...Array.from({ length: width }, () => width * 32)]
  const words = [32, ...Array.from({ length: 8 }, () => level).flat()]
  const data = hexToBytes(words.map((word) => word.toString(16).padStart(64, '0')).join(''))
  expect(() => decodeValues(types, data)).toThrow(AbiError)
})

test('an ABI file is read, whether it stands alone or in an artifact', () => {
  const abi = [
    { type: 'constructor', inputs: [{ name: 'owner', type: 'address' }] },
    {
      type: 'function',
      name: 'send',
      stateMutability: 'payable',
      inputs: [
        {
          name: 'orders',
          type: 'tuple[]',
          components: [
            { name: 'to', type: 'address' },
            { name: 'amounts', type: 'uint96[2]' },
          ],
        },
      ],
      outputs: [{ name: '', type: 'bool' }],
    },
    { type: 'event', name: 'Sent', inputs: [{ name: 'to', type: 'address', indexed: true }] },
    { type: 'receive', stateMutability: 'payable' },
  ]
  for (const text of [JSON.stringify(abi), JSON.stringify({ abi })]) {
    const items = parseAbi(text)
    expect(items.map((item) => item.kind)).toEqual(['constructor', 'function', 'event'])
    expect(signatureOf(items[1]!)).toBe('send((address,uint96[2])[])')
    expect(items[1]!.isPayable).toBe(true)
    expect(items[2]!.inputs[0]!.isIndexed).toBe(true)
  }
})

test('what is no ABI is refused with the reason', () => {
  expect(() => parseAbi('{')).toThrow('not JSON')
  expect(() => parseAbi('{}')).toThrow('no list')
  expect(() => parseAbi('[{"type":"function","inputs":[{"type":"uint7"}]}]')).toThrow('uint7')
  expect(() => parseType('uint256[')).toThrow(AbiError)
  expect(() => parseType('(uint256')).toThrow(AbiError)
  expect(() => parseType('('.repeat(5000))).toThrow(AbiError)
  expect(() => parseType(`uint256${'[]'.repeat(50)}`)).toThrow(AbiError)
})

test('a signature has the selector that others compute', async () => {
  const { keccak256 } = await import('../proof/hashes.ts')
  const text = 'swap((address,uint256[2])[],bytes32,int24)'
  const hash = keccak256(new TextEncoder().encode(signatureOf(parseSignature('function', text))))
  const selector: Hex = bytesToHex(hash.slice(0, 4))
  expect(selector).toBe(toFunctionSelector(`function ${text}`))
})
