/** The chain of a real home, whose blocks are made when a test says so; no servers. */
import { developmentKeys } from '../../src/accounts/development.ts'
import { sha256 } from '../../src/base/sha256.ts'
import { parseGenesis } from '../../src/chain/genesis.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import { openChainStore, type ChainStoreOptions } from '../../src/ledger/store.ts'
import { homePaths } from '../../src/config/home.ts'
import type { PublishedBlock } from '../../src/consensus/embedded/produce.ts'
import { loadGenesis } from '../../src/consensus/files/genesis.ts'
import { openConsensus } from '../../src/consensus/open.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { openKv } from '../../src/store/kv.ts'
import { CONFIGURED_LIMITS, GWEI, POOL_CHAIN_ID } from './poolRig.ts'

/** NUMBER NUMBER SSTORE, PUSH0 PUSH0 LOG0: run as init code, it leaves a slot and a log. */
const WRITER = Uint8Array.of(0x43, 0x43, 0x55, 0x5f, 0x5f, 0xa0, 0x00)

/** Opens the chain of a home that `completeHome` made. Throws what a start would throw. */
export function openManualNode(folder: string, storeOptions: Partial<ChainStoreOptions> = {}) {
  const home = homePaths(folder)
  const genesis = loadGenesis(home.genesis)
  const { rules } = parseGenesis(genesis.genesis.chainId, genesis.genesis.appState)
  const kv = openKv(home.chainStore)
  const published: PublishedBlock[] = []
  const failures: unknown[] = []
  try {
    const store = openChainStore(kv, { chainId: rules.chainId, sha256, ...storeOptions })
    const consensus = openConsensus({
      files: home,
      genesis,
      kv,
      store,
      evm: createEngine(),
      limits: CONFIGURED_LIMITS,
      production: 'manual',
      node: { moniker: 'test', listenAddress: '', rpcAddress: '' },
      publish: (block) => published.push(block),
      fatal: (error) => failures.push(error),
    })
    return {
      ...consensus,
      kv,
      store,
      published,
      failures,
      async stop() {
        await consensus.engine.stop()
        await kv.close()
      },
    }
  } catch (error) {
    void kv.close()
    throw error
  }
}

/** A transaction of the first development account that writes a slot and a log. */
export function writerTransaction(nonce: number): Uint8Array {
  return signTransaction(
    {
      type: 2,
      chainId: POOL_CHAIN_ID,
      nonce: BigInt(nonce),
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: GWEI,
      gasLimit: 120_000n,
      to: undefined,
      value: 0n,
      data: WRITER,
      accessList: [],
      authorizationList: [],
    },
    developmentKeys()[0] ?? new Uint8Array(0),
  ).raw
}
