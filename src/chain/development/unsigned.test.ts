import { expect, test } from 'vitest'
import { transactionByAlice } from '../../../test/support/rpcNode.ts'
import type { ChainRules } from '../executed.ts'
import { decoderOf, decodeUnsigned, impersonate } from './unsigned.ts'

const CHAIN_ID = 271_828n
const SENDER = new Uint8Array(20).fill(0xab)
const rules: ChainRules = {
  chainId: CHAIN_ID,
  blockGasLimit: 30_000_000n,
  initialBaseFee: 1n,
  minBaseFee: 1n,
}

test('a transaction that nobody signed has the sender that it names', () => {
  const made = impersonate(transactionByAlice({ nonce: 7n }), SENDER)
  expect(decodeUnsigned(made.raw, CHAIN_ID)).toEqual(made)
  expect(made).toMatchObject({ sender: SENDER, nonce: 7n, type: 2, s: 0n })
})

test('it is one on its chain alone, and only on a chain for development', () => {
  const { raw } = impersonate(transactionByAlice(), SENDER)
  expect(decodeUnsigned(raw, 1n)).toBeUndefined()
  expect(() => decoderOf(rules)(raw)).toThrow('invalid transaction v, r, s values')
  expect(decoderOf({ ...rules, isDevelopment: true })(raw).sender).toEqual(SENDER)
})

test('what is signed is never taken for unsigned', () => {
  const signed = transactionByAlice()
  expect(decodeUnsigned(signed.raw, CHAIN_ID)).toBeUndefined()
  expect(decoderOf({ ...rules, isDevelopment: true })(signed.raw)).toEqual(signed)
})
