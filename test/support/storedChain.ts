/** A real chain in a folder of its own: genesis, execution and store as in a node, blocks decided by the test. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { utf8 } from '../../src/base/bytes.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { sha256 } from '../../src/base/sha256.ts'
import type { BlockHeader } from '../../src/chain/block.ts'
import { defaultAppState } from '../../src/chain/defaultGenesis.ts'
import { executeBlock } from '../../src/chain/execute.ts'
import type { ChainRules } from '../../src/chain/executed.ts'
import { parseGenesis } from '../../src/chain/genesis.ts'
import { genesisHeader } from '../../src/chain/genesisHeader.ts'
import { encodeEdit, type StateEdit } from '../../src/chain/development/edit.ts'
import type { ChainReader } from '../../src/chain/reader.ts'
import { openChainStore } from '../../src/ledger/store.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { openKv, type Kv } from '../../src/store/kv.ts'

/** Key of the only validator; the consensus address is its hash. */
const VALIDATOR_KEY = new Uint8Array(32).fill(9)
const PROPOSER = sha256(VALIDATOR_KEY).slice(0, 20)
const GENESIS_TIME_NS = 1_700_000_000_000_000_000n

export type StoredChain = {
  /** Folder of the store. */
  readonly folder: string
  readonly kv: Kv
  readonly reader: ChainReader
  readonly rules: ChainRules
  /** Makes a block of the transactions, one second after the one before. */
  mine(...transactions: readonly Transaction[]): Promise<BlockHeader>
  /** The same after an edit of the state or the block, on a development chain (D56). */
  mineEdited(
    edit: Omit<StateEdit, 'height'>,
    ...transactions: readonly Transaction[]
  ): Promise<BlockHeader>
  /** Closes the store and removes the folder. */
  close(): Promise<void>
}

/** A chain at genesis, with the usual predeployed contracts and the given balances. */
export function createStoredChain(
  accounts: readonly { readonly address: Uint8Array; readonly balance: bigint }[],
): StoredChain {
  const appState = defaultAppState({
    accounts,
    validators: [{ publicKey: VALIDATOR_KEY, rewardAddress: new Uint8Array(20).fill(0xc0) }],
  })
  return createChainOf({
    chainId: 'assay_271828-1',
    appState,
    timeNs: GENESIS_TIME_NS,
    intervalNs: 1_000_000_000n,
  })
}

/** What a chain starts from. */
export type ChainGenesis = {
  readonly chainId: string
  /** JSON of genesis.json's app_state. */
  readonly appState: object
  readonly timeNs: bigint
  /** Between two blocks. */
  readonly intervalNs: bigint
}

/** A chain at a genesis. */
export function createChainOf(genesis: ChainGenesis): StoredChain {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-chain-'))
  const { rules, alloc } = parseGenesis(genesis.chainId, utf8(JSON.stringify(genesis.appState)))
  const kv = openKv(folder)
  const store = openChainStore(kv, { chainId: rules.chainId })
  const engine = createEngine()
  let head = store.initialise({
    header: genesisHeader(rules, { hash: keccak256(utf8(folder)), timeNs: genesis.timeNs }),
    effects: alloc,
  })

  async function decide(txs: readonly Uint8Array[]): Promise<BlockHeader> {
    const height = head.height + 1
    const decided = {
      height,
      hash: keccak256(utf8(`block ${height}`)),
      timeNs: head.timeNs + genesis.intervalNs,
      proposer: PROPOSER,
      txs,
      absent: [],
      doubleSigns: [],
    }
    const executed = await executeBlock({ engine, rules }, head, decided, store.latest())
    const staged = store.stage(executed)
    store.commit(staged)
    head = staged.header
    return head
  }

  return {
    folder,
    kv,
    reader: store.reader,
    rules,
    mine: (...transactions) => decide(transactions.map(({ raw }) => raw)),
    mineEdited(edit, ...transactions) {
      const record = encodeEdit({ ...edit, height: head.height + 1 })
      return decide([record, ...transactions.map(({ raw }) => raw)])
    },
    async close() {
      await kv.close()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
