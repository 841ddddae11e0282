/** The kvstore application behind the real embedded engine, for tests of what reads a consensus engine. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/base/clock.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import type { Transaction } from '../../src/chain/transaction.ts'
import { openEmbeddedEngine } from '../../src/consensus/embedded/engine.ts'
import { localSigner } from '../../src/consensus/embedded/sign.ts'
import { genesisText, parseGenesis } from '../../src/consensus/files/genesis.ts'
import { createValidatorKey, type ValidatorKey } from '../../src/consensus/files/keys.ts'
import { NO_SIGN_STATE, writeSignState } from '../../src/consensus/files/signState.ts'
import { createEventBus } from '../../src/events/bus.ts'
import type { CometWorld } from '../../src/consensusRpc/world.ts'
import { openKv } from '../../src/store/kv.ts'
import { createKvstore } from './kvstoreApplication.ts'
import { createQueueMempool } from './queueMempool.ts'

export type KvstoreNodeOptions = {
  /** The identity and genesis of another node, to be its twin; new ones by default. */
  readonly twin?: {
    readonly genesisText: string
    readonly key: ValidatorKey
    readonly nodeId: string
    readonly moniker: string
  }
  /** Whether blocks have events of their own. */
  readonly blockEvents?: boolean
  /** When blocks are made; by default, only when a test requests them. */
  readonly production?: { readonly gatherWindow: number; readonly blockInterval: number }
}

export type KvstoreNode = {
  readonly world: CometWorld
  /** Makes a block of the pool's transactions and announces it. */
  produceBlock(): Promise<void>
  /** A transaction that sets the power of the only validator. */
  powerTransaction(power: number): Uint8Array
  close(): Promise<void>
}

/** A node before its first block. */
export function createKvstoreNode(options: KvstoreNodeOptions = {}): KvstoreNode {
  const { twin, blockEvents = false, production = 'manual' } = options
  const home = mkdtempSync(join(tmpdir(), 'assay-kvstore-'))
  const kv = openKv(join(home, 'data'))
  const key = twin?.key ?? createValidatorKey(join(home, 'key.json'))
  const signStateFile = join(home, 'state.json')
  writeSignState(signStateFile, NO_SIGN_STATE)
  const bus = createEventBus()
  const { application, source, index } = createKvstore(blockEvents)
  const mempool = createQueueMempool(application)
  const genesis =
    twin?.genesisText ??
    genesisText({
      timeNs: systemClock.now(),
      chainId: 'dockerchain',
      validators: [{ publicKey: key.signer.publicKey, power: 10n, name: '' }],
      appState: undefined,
    })
  const engine = openEmbeddedEngine({
    application,
    source,
    mempool,
    kv,
    genesisText: genesis,
    signer: localSigner(key, parseGenesis('genesis.json', genesis).chainId),
    signStateFile,
    node: {
      id: twin?.nodeId ?? toHexDigits(key.address),
      moniker: twin?.moniker ?? 'kvstore',
      listenAddress: 'tcp://0.0.0.0:26656',
      rpcAddress: 'tcp://127.0.0.1:26657',
    },
    clock: systemClock,
    production,
    publish: (block) => bus.emit('decided', block),
    fatal(error) {
      throw error
    },
  })
  // The consensus RPC reads only raw bytes from the pool.
  const pending = (): Map<string, readonly Transaction[]> =>
    new Map([['', mempool.txs().map((raw) => ({ raw }) as Transaction)]])
  return {
    world: {
      reader: engine.reader,
      engine,
      application,
      bus,
      index,
      flushPool: async () => mempool.flush(),
      pool: { pending, queued: () => new Map() },
    },
    produceBlock: () => engine.produceBlock(),
    powerTransaction: (power) =>
      Buffer.from(`val=ed25519!${Buffer.from(key.signer.publicKey).toString('base64')}!${power}`),
    async close() {
      await engine.stop()
      await kv.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
