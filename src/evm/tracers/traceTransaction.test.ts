import { expect, test } from 'vitest'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { emptyState } from '../emptyState.ts'
import { accountEffect, overlay } from '../overlay.ts'
import { EMPTY_CODE_HASH } from '../types.ts'
import { traceTransaction, type TracedTransaction } from './traceTransaction.ts'

const SENDER = new Uint8Array(20).fill(0xaa)
const TARGET = new Uint8Array(20).fill(0xbb)

function traced(code: string, to: Uint8Array = TARGET): TracedTransaction {
  const state = overlay(emptyState)
  const bytes = fromHex(code)
  const target = { nonce: 1n, balance: 0n, codeHash: keccak256(bytes) }
  const sender = { nonce: 0n, balance: 10n ** 18n, codeHash: EMPTY_CODE_HASH }
  state.apply(new Map([accountEffect(TARGET, target, bytes), accountEffect(SENDER, sender)]))
  return {
    transaction: {
      type: 0,
      sender: SENDER,
      nonce: 0n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      gasLimit: 100_000n,
      to,
      value: 0n,
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: [],
    },
    block: {
      chainId: 1n,
      height: 10,
      timestamp: 1n,
      coinbase: new Uint8Array(20).fill(0xcb),
      gasLimit: 30_000_000n,
      baseFeePerGas: 0n,
      prevRandao: new Uint8Array(32),
      blobBaseFee: 1n,
    },
    state,
    rules: { hardfork: 'osaka', baseFeeSink: 'coinbase' },
  }
}

async function answerOf(...args: Parameters<typeof traceTransaction>): Promise<unknown> {
  return JSON.parse(Buffer.concat(await traceTransaction(...args)).toString('latin1'))
}

test('a transaction is run again as it was: with its intrinsic gas, its output and its steps', async () => {
  // MSTORE(0, 5), RETURN(31, 1).
  expect(await answerOf(traced('0x60055f526001601ff3'), { disableStack: true })).toEqual({
    gas: 21_000 + 3 + 2 + 6 + 3 + 3,
    failed: false,
    returnValue: '0x05',
    structLogs: [
      { pc: 0, op: 'PUSH1', gas: 79_000, gasCost: 3, depth: 1 },
      { pc: 2, op: 'PUSH0', gas: 78_997, gasCost: 2, depth: 1 },
      { pc: 3, op: 'MSTORE', gas: 78_995, gasCost: 6, depth: 1 },
      { pc: 4, op: 'PUSH1', gas: 78_989, gasCost: 3, depth: 1 },
      { pc: 6, op: 'PUSH1', gas: 78_986, gasCost: 3, depth: 1 },
      { pc: 8, op: 'RETURN', gas: 78_983, gasCost: 0, depth: 1 },
    ],
  })
})

test('a plain transfer has no steps, a failed transaction has its revert data', async () => {
  expect(await answerOf(traced('0x', SENDER))).toEqual({
    gas: 21_000,
    failed: false,
    returnValue: '0x',
    structLogs: [],
  })
  expect(await answerOf(traced('0x60055f5260206000fd'))).toMatchObject({
    failed: true,
    returnValue: `0x${'05'.padStart(64, '0')}`,
  })
})

test('a trace ends with what poll throws', async () => {
  const poll = (): never => {
    throw new Error('execution timeout')
  }
  const endless = traced('0x5b5f56')
  const transaction = { ...endless.transaction, gasLimit: 16_000_000n }
  await expect(traceTransaction({ ...endless, transaction }, {}, { poll })).rejects.toThrow(
    'execution timeout',
  )
})
