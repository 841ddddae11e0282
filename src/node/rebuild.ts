/** Rebuilds a chain's store: re-executes every decided block, from genesis, into an empty store. */
import { isDeepStrictEqual } from 'node:util'
import { equalBytes, utf8 } from '../base/bytes.ts'
import { fromHex, toHex } from '../base/hex.ts'
import { sha256 } from '../base/sha256.ts'
import type { BlockHeader } from '../chain/block.ts'
import { openAddressIndex } from '../ledger/events/addressIndex.ts'
import { executeBlock } from '../chain/execute.ts'
import type { ExecutedBlock } from '../chain/executed.ts'
import { genesisHeader } from '../chain/genesisHeader.ts'
import type { ChainReader } from '../chain/reader.ts'
import { openChainStore, type ChainStore } from '../ledger/store.ts'
import { createEngine } from '../evm/createEngine.ts'
import type { AccountEffect } from '../evm/types.ts'
import type { Kv } from '../store/kv.ts'
import type { OfflineChain } from './offline.ts'

export type Rebuilt = {
  /** Differences between the stored chain and execution. */
  readonly faults: readonly string[]
  /** Blocks whose execution contradicts what was signed: they follow different rules, or are damaged themselves. */
  readonly contradictions: readonly string[]
}

const HEADER_FIELDS = [
  'hash',
  'parentHash',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'coinbase',
] as const

function headerFaults(stored: BlockHeader | undefined, made: BlockHeader): string[] {
  if (stored === undefined) return [`header of block ${made.height}`]
  return HEADER_FIELDS.filter((field) => !equalBytes(stored[field], made[field])).map(
    (field) => `${field} of block ${made.height}`,
  )
}

/** Whether the stored history has the account as the block left it. */
function isInHistory(reader: ChainReader, height: number, effect: AccountEffect): boolean {
  const view = reader.stateAt(height)
  const account = view.account(effect.address)
  if (account === undefined || effect.account === undefined)
    return account === undefined && effect.account === undefined
  const slots = [...effect.storage].map(
    ([slot, value]) => [view.storage(effect.address, fromHex(slot)), value] as const,
  )
  return (
    account.nonce === effect.account.nonce &&
    account.balance === effect.account.balance &&
    equalBytes(account.codeHash, effect.account.codeHash) &&
    slots.every(([stored, value]) => equalBytes(stored, value))
  )
}

function historyFaults(reader: ChainReader, { header, effects }: ExecutedBlock): string[] {
  const { height } = header
  return [...effects.values()]
    .filter((effect) => !isInHistory(reader, height, effect))
    .map(({ address }) => `state of ${toHex(address)} after block ${height}`)
}

/** Whether the stored results and receipts match those of execution; their roots do not cover all fields. */
function outcomeFaults(
  reader: ChainReader,
  { header, receipts, decided, validatorUpdates, systemLogs }: ExecutedBlock,
): string[] {
  const { height } = header
  const results = (reader.decided(height) ?? []).map(({ raw, result, transactionIndex }) => ({
    raw,
    result,
    transactionIndex,
  }))
  return [
    ...(isDeepStrictEqual(reader.receipts(height), receipts)
      ? []
      : [`receipts of block ${height}`]),
    ...(isDeepStrictEqual(reader.validatorUpdates(height), validatorUpdates)
      ? []
      : [`validator updates of block ${height}`]),
    ...(isDeepStrictEqual(reader.systemLogs(height), systemLogs)
      ? []
      : [`logs of the end of block ${height}`]),
    ...(isDeepStrictEqual(results, decided) ? [] : [`results of block ${height}`]),
  ]
}

function initialise(store: ChainStore, { genesis, genesisState }: OfflineChain): BlockHeader {
  const hash = sha256(utf8(genesis.text))
  const header = genesisHeader(genesisState.rules, { hash, timeNs: genesis.genesis.timeNs })
  return store.initialise({ header, effects: genesisState.alloc })
}

/**
 * Rebuilds an unpruned chain into `target`, an empty store, and compares. `onBlock` is called with each height when it
 * is done.
 */
export async function rebuild(
  source: OfflineChain,
  target: Kv,
  onBlock: (height: number) => void,
): Promise<Rebuilt> {
  const { reader, blocks, genesisState } = source
  const { rules } = genesisState
  const store = openChainStore(target, { chainId: rules.chainId, sha256 })
  const evm = createEngine()
  const faults: string[] = []
  const contradictions: string[] = []
  let parent = initialise(store, source)
  const last = blocks.state()?.height ?? 0
  for (let height = 1; height <= last; height++) {
    const decided = blocks.block(height)
    if (decided === undefined) throw new RangeError(`decided block ${height} is not there`)
    const { header, blockId } = decided
    if (!equalBytes(header.appHash, parent.stateRoot))
      contradictions.push(`the state after block ${height - 1} is not the signed one`)
    const txs = (reader.decided(height) ?? []).map(({ raw }) => raw)
    const block = {
      height,
      hash: blockId.hash,
      timeNs: header.timeNs,
      proposer: header.proposerAddress,
      txs,
      // A single validator, which signed each of its blocks.
      absent: [],
      doubleSigns: [],
    }
    const executed = await executeBlock({ engine: evm, rules }, parent, block, store.latest())
    const staged = store.stage(executed)
    store.commit(staged)
    faults.push(...attempt(height, () => headerFaults(reader.header(height), staged.header)))
    faults.push(...attempt(height, () => outcomeFaults(reader, executed)))
    faults.push(...attempt(height, () => historyFaults(reader, executed)))
    parent = staged.header
    onBlock(height)
  }
  openAddressIndex(target).catchUp(store.reader)
  return { faults, contradictions }
}

function attempt(height: number, compare: () => string[]): string[] {
  try {
    return compare()
  } catch (error) {
    return [`block ${height} cannot be read: ${String(error)}`]
  }
}
