import { expect, test } from 'vitest'
import { equalBytes } from '../base/bytes.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { sha256 } from '../base/sha256.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { storedBlockHash } from '../evm/blockHashes.ts'
import { contractAddress } from '../evm/contractAddress.ts'
import { createEngine } from '../evm/createEngine.ts'
import { emptyState } from '../evm/emptyState.ts'
import { overlay } from '../evm/overlay.ts'
import type { BlockHeader } from './block.ts'
import { createBloomTest } from '../ledger/logs/criteria.ts'
import { defaultAppState } from './defaultGenesis.ts'
import { executeBlock } from './execute.ts'
import type { DecidedBlock, ExecutedBlock } from './executed.ts'
import { parseGenesis } from './genesis.ts'
import { genesisHeader } from './genesisHeader.ts'
import { listRoot } from './listRoot.ts'
import { encodeReceipt } from '../proof/receiptEncoding.ts'
import { STAKING_ADDRESS } from './predeploys.ts'
import { signTransaction } from './signTransaction.ts'
import type { UnsignedTransaction } from './unsignedTransaction.ts'

const KEY = new Uint8Array(32).fill(7)
const SENDER = addressOfPrivateKey(KEY)
const VALIDATOR_KEY = new Uint8Array(32).fill(0xc0)
const PROPOSER = sha256(VALIDATOR_KEY).slice(0, 20)
const REWARD = new Uint8Array(20).fill(0x4e)
const RECIPIENT = new Uint8Array(20).fill(0xbb)
const SECOND = 1_000_000_000n

const appState = defaultAppState({
  accounts: [{ address: SENDER, balance: 10n ** 20n }],
  validators: [{ publicKey: VALIDATOR_KEY, rewardAddress: REWARD }],
})
const { rules, alloc } = parseGenesis(
  'assay_271828-1',
  new TextEncoder().encode(JSON.stringify(appState)),
)
const genesis: BlockHeader = {
  ...genesisHeader(rules, { hash: new Uint8Array(32).fill(1), timeNs: 1000n * SECOND }),
  stateRoot: new Uint8Array(32),
}

function genesisState() {
  const state = overlay(emptyState)
  state.apply(alloc)
  return state
}

function decided(txs: readonly Uint8Array[]): DecidedBlock {
  return {
    height: 1,
    hash: new Uint8Array(32).fill(2),
    timeNs: 1001n * SECOND,
    proposer: PROPOSER,
    txs,
    absent: [],
    doubleSigns: [],
  }
}

async function execute(txs: readonly Uint8Array[]): Promise<ExecutedBlock> {
  return await executeBlock(
    { engine: createEngine(), rules },
    genesis,
    decided(txs),
    genesisState(),
  )
}

function signed(fields: Partial<UnsignedTransaction> = {}): Uint8Array {
  const unsigned: UnsignedTransaction = {
    type: 2,
    chainId: 271828n,
    nonce: 0n,
    maxFeePerGas: 3n * SECOND,
    maxPriorityFeePerGas: SECOND,
    gasLimit: 200_000n,
    to: RECIPIENT,
    value: 5n,
    data: new Uint8Array(0),
    accessList: [],
    authorizationList: [],
    ...fields,
  }
  return signTransaction(unsigned, KEY).raw
}

/** Init code that emits LOG1 with topic 9 and deploys nothing. */
const LOGGING = fromHex('0x60095f5fa100')
/** Init code that reverts with Error("no"). */
const REVERTING = fromHex(
  `0x6064600a5f3960645ffd08c379a0${'20'.padStart(64, '0')}${'02'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`,
)

test('an empty block stores the hash of its parent and moves the base fee', async () => {
  const block = await execute([])
  const after = genesisState()
  after.apply(block.effects)
  expect(storedBlockHash(after, 0)).toEqual(genesis.hash)
  expect(block.header).toMatchObject({
    height: 1,
    parentHash: genesis.hash,
    coinbase: REWARD,
    gasUsed: 0n,
    baseFeePerGas: 875_000_000n,
    transactionsRoot: listRoot([]),
  })
  expect(block.header.prevRandao).toEqual(keccak256(fromHex(`${'01'.repeat(32)}0000000000000001`)))
})

test('a transfer has code 0, a receipt and a result that commits to it', async () => {
  const raw = signed()
  const block = await execute([raw])
  const [receipt] = block.receipts
  expect(receipt).toMatchObject({ status: 1, gasUsed: 21_000n, cumulativeGasUsed: 21_000n })
  expect(receipt?.effectiveGasPrice).toBe(1_875_000_000n)
  expect(block.decided[0]).toMatchObject({
    transactionIndex: 0,
    result: { code: 0, codespace: '', log: '', gasWanted: 200_000n, gasUsed: 21_000n },
  })
  expect(block.decided[0]?.result.data).toEqual(receipt && keccak256(encodeReceipt(receipt)))
  expect(block.header.transactionsRoot).toEqual(listRoot([raw]))
  // The tip goes to the proposer, the base fee to the stakers.
  const balanceOf = (address: Uint8Array) =>
    block.effects.get(toHexDigits(address))?.account?.balance
  expect(balanceOf(REWARD)).toBe(21_000n * SECOND)
  expect(balanceOf(STAKING_ADDRESS)).toBe(10n ** 19n + 21_000n * 875_000_000n)
  expect(balanceOf(RECIPIENT)).toBe(5n)
})

test('gas, log indexes and blooms add up over a block', async () => {
  const block = await execute([
    signed({ to: undefined, data: LOGGING, value: 0n }),
    signed({ nonce: 1n }),
    signed({ nonce: 2n, to: undefined, data: LOGGING, value: 0n }),
  ])
  expect(block.receipts.map(({ firstLogIndex }) => firstLogIndex)).toEqual([0, 1, 1])
  const [first, second, third] = block.receipts.map(({ gasUsed }) => gasUsed)
  expect(block.header.gasUsed).toBe((first ?? 0n) + (second ?? 0n) + (third ?? 0n))
  expect(block.receipts[2]?.cumulativeGasUsed).toBe(block.header.gasUsed)
  const created = contractAddress(SENDER, 0n)
  expect(block.receipts[0]?.contractAddress).toEqual(created)
  const mayHaveLogsOf = createBloomTest({ addresses: [created], topics: [] })
  expect(mayHaveLogsOf(block.header.logsBloom)).toBe(true)
})

test('a revert is included with code 1 and status 0, and says its reason', async () => {
  const block = await execute([signed({ to: undefined, data: REVERTING, value: 0n })])
  expect(block.receipts[0]).toMatchObject({ status: 0, logs: [] })
  expect(block.decided[0]?.result).toMatchObject({
    code: 1,
    codespace: 'evm',
    log: 'execution reverted: no',
  })
})

// Holds D7.
test('what cannot be decoded or paid gets code 2, no receipt and no index, and the rest goes on', async () => {
  const block = await execute([
    Uint8Array.of(1, 2, 3),
    signed({ value: 10n ** 21n }),
    signed({ nonce: 9n }),
    signed({ gasLimit: 16_777_217n }),
    signed(),
    signed(),
  ])
  expect(block.decided.map(({ result }) => result.code)).toEqual([2, 2, 2, 2, 0, 2])
  expect(block.decided.map(({ transactionIndex }) => transactionIndex)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    0,
    undefined,
  ])
  expect(block.decided[1]?.result).toMatchObject({ codespace: 'evm', gasUsed: 0n })
  expect(block.decided[1]?.result.log).toContain('insufficient funds for gas * price + value')
  expect(block.decided[5]?.result.log).toContain('nonce too low')
  expect(block.transactions).toHaveLength(1)
})

test('a transaction over what is left of the block is refused', async () => {
  const small = { engine: createEngine(), rules: { ...rules, blockGasLimit: 250_000n } }
  const txs = [signed(), signed({ nonce: 1n, gasLimit: 230_000n }), signed({ nonce: 1n })]
  const block = await executeBlock(small, genesis, decided(txs), genesisState())
  expect(block.decided.map(({ result }) => result.code)).toEqual([0, 2, 0])
  expect(block.decided[1]?.result.log).toBe('gas limit reached')
})

test('the same block gives the same effects again', async () => {
  const txs = [signed({ to: undefined, data: LOGGING }), signed({ nonce: 1n })]
  const [first, second] = await Promise.all([execute(txs), execute(txs)])
  expect(first).toEqual(second)
  expect(equalBytes(first.header.receiptsRoot, second.header.receiptsRoot)).toBe(true)
})
