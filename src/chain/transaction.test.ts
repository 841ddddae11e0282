import fc from 'fast-check'
import { parseTransaction, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { concatBytes } from '../base/bytes.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { encodeRlp } from '../base/rlp.ts'
import { SECP256K1_N, addressOfPrivateKey } from '../base/secp256k1.ts'
import { encodeTransaction, signTransaction } from './signTransaction.ts'
import { TransactionDecodeError, decodeTransaction } from './transaction.ts'
import type { TransactionType, UnsignedTransaction } from './unsignedTransaction.ts'

const CHAIN_ID = 271828n
const KEY = fromHex('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')

const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const address = fc.uint8Array({ minLength: 20, maxLength: 20 })
const word = fc.uint8Array({ minLength: 32, maxLength: 32 })
const authorization = fc.record({
  chainId: uint256,
  address,
  nonce: uint64,
  yParity: fc.bigInt({ min: 0n, max: 1n }),
  r: uint256,
  s: uint256,
})

/** Transactions as they survive a round trip: fields that a type lacks are empty. */
const transactions: fc.Arbitrary<UnsignedTransaction> = fc
  .record({
    type: fc.constantFrom<TransactionType>(0, 1, 2, 4),
    nonce: uint64,
    maxFeePerGas: uint256,
    maxPriorityFeePerGas: uint256,
    gasLimit: uint64,
    to: address,
    isCreation: fc.boolean(),
    isProtected: fc.boolean(),
    value: uint256,
    data: fc.uint8Array({ maxLength: 100 }),
    accessList: fc.array(fc.record({ address, storageKeys: fc.array(word, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    authorizationList: fc.array(authorization, { maxLength: 3 }),
  })
  .map(({ isCreation, isProtected, ...fields }) => ({
    ...fields,
    chainId: fields.type === 0 && !isProtected ? undefined : CHAIN_ID,
    to: isCreation && fields.type !== 4 ? undefined : fields.to,
    maxPriorityFeePerGas: fields.type < 2 ? fields.maxFeePerGas : fields.maxPriorityFeePerGas,
    accessList: fields.type === 0 ? [] : fields.accessList,
    authorizationList: fields.type === 4 ? fields.authorizationList : [],
  }))

const plain: UnsignedTransaction = {
  type: 0,
  chainId: CHAIN_ID,
  nonce: 1n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 2_000_000_000n,
  gasLimit: 21_000n,
  to: new Uint8Array(20).fill(1),
  value: 5n,
  data: new Uint8Array(0),
  accessList: [],
  authorizationList: [],
}

test('a signed transaction decodes to itself, with its sender', () => {
  fc.assert(
    fc.property(transactions, (unsigned) => {
      const signed = signTransaction(unsigned, KEY)
      const decoded = decodeTransaction(signed.raw, CHAIN_ID)
      expect(decoded).toEqual(signed)
      expect(decoded.sender).toEqual(addressOfPrivateKey(KEY))
    }),
    { numRuns: 100 },
  )
})

test('viem signs and reads the same bytes', async () => {
  const account = privateKeyToAccount(toHex(KEY))
  const viemForm = {
    type: 'eip1559',
    chainId: Number(CHAIN_ID),
    nonce: 7,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
    gas: 50_000n,
    to: toHex(new Uint8Array(20).fill(3)),
    value: 12n,
    data: '0xdeadbeef',
  } as const
  const raw = await account.signTransaction(viemForm, { serializer: serializeTransaction })
  const decoded = decodeTransaction(fromHex(raw), CHAIN_ID)
  expect(toHex(signTransaction(decoded, KEY).raw)).toBe(raw)
  expect(toHex(decoded.sender)).toBe(account.address.toLowerCase())
  expect(parseTransaction(raw)).toMatchObject({ nonce: 7, value: 12n })
})

function codeOf(raw: Uint8Array): string {
  try {
    decodeTransaction(raw, CHAIN_ID)
  } catch (error) {
    if (error instanceof TransactionDecodeError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

test('a blob transaction and an unknown type are not supported (D19)', () => {
  const message = 'unsupported-type: transaction type not supported'
  expect(codeOf(Uint8Array.of(3, 0xc0))).toBe(message)
  expect(codeOf(Uint8Array.of(0x7f, 0xc0))).toBe(message)
})

test('another chain id is refused, and a legacy transaction without one passes', () => {
  const foreign = signTransaction({ ...plain, chainId: 1n }, KEY)
  expect(codeOf(foreign.raw)).toBe('wrong-chain: invalid chain id for signer: have 1 want 271828')
  const unprotected = signTransaction({ ...plain, chainId: undefined }, KEY)
  expect(decodeTransaction(unprotected.raw, CHAIN_ID).chainId).toBeUndefined()
})

test('a malleable signature is refused (EIP-2)', () => {
  const { r, s, v } = signTransaction({ ...plain, type: 2 }, KEY)
  const flipped = encodeTransaction({ ...plain, type: 2 }, { v: 1n - v, r, s: SECP256K1_N - s })
  expect(codeOf(flipped)).toBe('invalid-signature: invalid transaction v, r, s values')
})

test.each([
  ['no bytes', new Uint8Array(0)],
  ['a trailing byte', concatBytes(signTransaction(plain, KEY).raw, Uint8Array.of(0))],
  ['a list that is too short', encodeRlp([new Uint8Array(0)])],
  [
    'a nonce with a leading zero',
    encodeRlp([Uint8Array.of(0), ...Array.from({ length: 8 }, () => Uint8Array.of(1))]),
  ],
  [
    'a recipient of 19 bytes',
    encodeRlp([
      ...Array.from({ length: 3 }, () => Uint8Array.of(1)),
      new Uint8Array(19),
      ...Array.from({ length: 5 }, () => Uint8Array.of(1)),
    ]),
  ],
])('%s is malformed', (_, raw) => {
  expect(codeOf(raw)).toMatch(/^malformed: /)
})

test('arbitrary bytes give a TransactionDecodeError or a transaction, never another error', () => {
  const prefixed = fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 4, 0xf8), fc.uint8Array({ maxLength: 200 }))
    .map(([type, rest]) => Uint8Array.of(type, ...rest))
  fc.assert(
    fc.property(prefixed, (raw) => {
      codeOf(raw)
    }),
    { numRuns: 500 },
  )
})

test('a flipped byte never keeps hash and sender', () => {
  const { raw, sender } = signTransaction({ ...plain, type: 2 }, KEY)
  for (let at = 0; at < raw.length; at++) {
    const changed = raw.slice()
    changed[at] = (changed[at] as number) ^ 1
    let after: Uint8Array | undefined
    try {
      after = decodeTransaction(changed, CHAIN_ID).sender
    } catch (error) {
      expect(error).toBeInstanceOf(TransactionDecodeError)
    }
    expect(after).not.toEqual(sender)
  }
})
