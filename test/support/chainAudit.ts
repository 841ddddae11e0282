/** Checks the chain of a stopped home from its files alone, the way a suspicious stranger would. */
import path from 'node:path'
import { compareBytes } from '../../src/base/bytes.ts'
import { verifyEd25519 } from '../../src/base/ed25519.ts'
import { toHex } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { encodeRlpBytes } from '../../src/base/rlp.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { parseChainId } from '../../src/chain/chainId.ts'
import { listRoot } from '../../src/chain/listRoot.ts'
import { encodeReceipt } from '../../src/proof/receiptEncoding.ts'
import { decodeAccountRecord, encodeAccountLeaf } from '../../src/ledger/state/accountRecord.ts'
import { openChainReader } from '../../src/ledger/store.ts'
import { openChainTables, type ChainTables } from '../../src/ledger/tables.ts'
import { leavesRoot } from '../../src/proof/trie/leavesRoot.ts'
import { homePaths } from '../../src/config/home.ts'
import { openBlockStore } from '../../src/consensus/embedded/blockStore.ts'
import { loadGenesis } from '../../src/consensus/files/genesis.ts'
import { loadSignState } from '../../src/consensus/files/signState.ts'
import { identifyBlock } from '../../src/proof/comet/block.ts'
import { verifyCommit } from '../../src/proof/comet/verifyCommit.ts'
import { openKv } from '../../src/store/kv.ts'

type Leaf = { readonly key: Uint8Array; readonly value: Uint8Array }

function trieRoot(leaves: Leaf[]): Uint8Array {
  return leavesRoot(leaves.sort((a, b) => compareBytes(a.key, b.key)))
}

/** The state root of the latest accounts and slots, without any stored trie node. */
function stateRootOf({ accounts, slots }: ChainTables): Uint8Array {
  const storages = new Map<string, Leaf[]>()
  for (const { key, value } of slots.range({})) {
    const address = toHex(key.subarray(0, 20))
    const leaves = storages.get(address) ?? []
    leaves.push({ key: keccak256(key.subarray(20)), value: encodeRlpBytes(value) })
    storages.set(address, leaves)
  }
  const leaves = Array.from(accounts.range({}), ({ key, value }) => {
    const storageRoot = trieRoot(storages.get(toHex(key)) ?? [])
    const account = { ...decodeAccountRecord(value), storageRoot }
    return { key: keccak256(key), value: encodeAccountLeaf(account) }
  })
  return trieRoot(leaves)
}

/**
 * The faults of the chain in a home folder, one string per fault: block ids and their links, commits and signatures,
 * lists and their roots at every height; the state root at the last. Also returns the last height.
 */
export async function auditChain(home: string): Promise<{ tip: number; faults: string[] }> {
  const paths = homePaths(path.resolve(home))
  const { chainId } = loadGenesis(paths.genesis).genesis
  const kv = openKv(paths.chainStore, { readOnly: true })
  const reader = openChainReader(kv, { chainId: parseChainId(chainId).eip155 })
  const store = openBlockStore(kv)
  const tip = reader.latestHeight()
  const faults: string[] = []
  const compare = (what: string, a: Uint8Array | undefined, b: Uint8Array | undefined): void => {
    if (a === undefined || b === undefined || compareBytes(a, b) !== 0) faults.push(what)
  }

  for (let height = 1; height <= tip; height++) {
    const block = store.block(height)
    const header = reader.header(height)
    const decided = reader.decided(height)
    const receipts = reader.receipts(height)
    if (!block || !header || !decided || !receipts) {
      faults.push(`block ${height} is not complete`)
      continue
    }
    const txs = decided.map(({ raw }) => raw)
    const { blockId } = identifyBlock(sha256, { ...block, txs })
    compare(`id of block ${height}`, blockId.hash, block.blockId.hash)
    compare(`hash of block ${height}`, blockId.hash, header.hash)
    const executed = decided.filter(({ transactionIndex }) => transactionIndex !== undefined)
    const transactionsRoot = listRoot(executed.map(({ raw }) => raw))
    compare(`transactions of block ${height}`, transactionsRoot, header.transactionsRoot)
    const receiptsRoot = listRoot(receipts.map((receipt) => encodeReceipt(receipt)))
    compare(`receipts of block ${height}`, receiptsRoot, header.receiptsRoot)
    const next = store.block(height + 1)
    if (next !== undefined) {
      compare(`link to block ${height}`, next.header.lastBlockId.hash, blockId.hash)
      compare(`app hash after block ${height}`, next.header.appHash, header.stateRoot)
    }
    const commit = next?.lastCommit ?? store.seenCommit()
    const validators = store.validators(height)
    if (!commit || !validators) faults.push(`no commit of block ${height}`)
    else
      try {
        verifyCommit({ sha256, verifyEd25519 }, chainId, validators, { height, blockId }, commit)
      } catch (error) {
        faults.push(`commit of block ${height}: ${String(error)}`)
      }
  }
  const stateRoot = stateRootOf(openChainTables(kv))
  compare('state root', stateRoot, reader.header(tip)?.stateRoot)
  if (loadSignState(paths.validatorState).height !== tip) faults.push('sign state')
  await kv.close()
  return { tip, faults }
}
