/** The chain of a home whose node is not running, for commands that inspect or repair it. */
import fs from 'node:fs'
import { openAddressIndex, type AddressIndex } from '../ledger/events/addressIndex.ts'
import { parseGenesis, type GenesisState } from '../chain/genesis.ts'
import type { ChainReader } from '../chain/reader.ts'
import { openChainReader } from '../ledger/store.ts'
import { openChainTables, type ChainTables } from '../ledger/tables.ts'
import { sha256 } from '../base/sha256.ts'
import type { Home } from '../config/home.ts'
import { openBlockStore, type BlockStore } from '../consensus/embedded/blockStore.ts'
import { loadGenesis, type LoadedGenesis } from '../consensus/files/genesis.ts'
import { salvageStore } from '../store/pages/salvage.ts'
import { openKv, type Kv, type KvOptions } from '../store/kv.ts'

export type OfflineChain = {
  readonly genesis: LoadedGenesis
  readonly genesisState: GenesisState
  readonly kv: Kv
  readonly reader: ChainReader
  readonly blocks: BlockStore
  readonly addresses: AddressIndex
  readonly tables: ChainTables
}

/** Opens the store of a home; the caller closes `kv`. Throws UserError when it does not exist, or cannot be read. */
export function openOffline(
  home: Home,
  options: Pick<KvOptions, 'readOnly' | 'holdsSnapshots'>,
): OfflineChain {
  const genesis = loadGenesis(home.genesis)
  const genesisState = parseGenesis(genesis.genesis.chainId, genesis.genesis.appState)
  const kv = openKv(home.chainStore, options)
  const { chainId } = genesisState.rules
  const reader = openChainReader(kv, { chainId, sha256 })
  const [blocks, addresses] = [openBlockStore(kv), openAddressIndex(kv)]
  return { genesis, genesisState, kv, reader, blocks, addresses, tables: openChainTables(kv) }
}

/** Copies what can be read of a home's damaged store into a new store in `folder`, which is replaced. */
export async function salvage(home: Home, folder: string): Promise<void> {
  fs.rmSync(folder, { recursive: true, force: true })
  const kv = openKv(folder, { isScratch: true })
  try {
    openChainTables(kv)
    openBlockStore(kv)
    openAddressIndex(kv)
    salvageStore(home.chainStore, kv)
  } finally {
    await kv.close()
  }
}
