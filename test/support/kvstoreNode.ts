/**
 * A chain of `key=value` transactions behind the real embedded engine, for tests of what reads a consensus engine. It has
 * the behaviour of CometBFT's kvstore example where clients' own tests count on it. Blocks are made by hand.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equalBytes, utf8 } from '../../src/base/bytes.ts'
import { systemClock } from '../../src/base/clock.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { sha256 } from '../../src/base/sha256.ts'
import type {
  Application,
  ApplicationEvent,
  FinalizeBlockResponse,
  ProposedBlock,
  ValidatorUpdate,
} from '../../src/consensus/application.ts'
import { openEmbeddedEngine } from '../../src/consensus/embedded/engine.ts'
import { genesisText } from '../../src/consensus/files/genesis.ts'
import { createValidatorKey } from '../../src/consensus/files/keys.ts'
import { NO_SIGN_STATE, writeSignState } from '../../src/consensus/files/signState.ts'
import { createEventBus } from '../../src/events/bus.ts'
import type { CometWorld } from '../../src/rpc/comet/world.ts'
import { openKv } from '../../src/store/kv.ts'
import { createQueueMempool } from './queueMempool.ts'

const EMPTY = new Uint8Array(0)

type Executed = { readonly block: ProposedBlock; readonly response: FinalizeBlockResponse }

function eventsOf(tx: string): readonly ApplicationEvent[] {
  const [key = '', value = key] = tx.split('=')
  return [key, value].map((text, at) => ({
    type: 'app',
    attributes: [
      { key: 'creator', value: at === 0 ? 'Cosmoshi Netowoko' : 'Cosmoshi', index: true },
      { key: 'key', value: text, index: true },
      { key: 'index_key', value: 'index is working', index: true },
      { key: 'noindex_key', value: 'index is working', index: false },
    ],
  }))
}

function createKvstore(validator: Uint8Array): {
  readonly application: Application
  readonly blocks: Map<number, Executed>
} {
  const blocks = new Map<number, Executed>()
  const state = new Map<string, string>()
  let height = 0
  let pending: Executed | undefined
  const appHash = (count: number): Uint8Array => utf8(String(count).padStart(8, '0'))
  const application: Application = {
    info: () => ({
      data: JSON.stringify({ size: state.size }),
      version: '0.1.0',
      appVersion: 1n,
      lastBlockHeight: height,
      lastBlockAppHash: height === 0 ? EMPTY : appHash(state.size),
    }),
    initChain: () => ({ validators: [], appHash: appHash(0) }),
    async checkTx(tx) {
      const isPair = Buffer.from(tx).toString().split('=').length === 2
      return {
        code: isPair ? 0 : 2,
        codespace: isPair ? '' : 'kvstore',
        log: isPair ? '' : 'not a pair',
        data: EMPTY,
        gasWanted: 1n,
        gasUsed: 0n,
      }
    },
    prepareProposal: async ({ txs }) => txs,
    processProposal: async () => 'accept',
    async finalizeBlock(block) {
      const texts = block.txs.map((tx) => Buffer.from(tx).toString())
      // `power=<n>` changes the power of the only validator.
      const powers = texts.flatMap((tx) => /^power=(\d+)$/.exec(tx)?.slice(1) ?? [])
      const response: FinalizeBlockResponse = {
        events: [],
        txResults: texts.map((tx) => ({
          code: 0,
          data: EMPTY,
          log: '',
          info: '',
          gasWanted: 0n,
          gasUsed: 0n,
          events: eventsOf(tx),
          codespace: '',
        })),
        validatorUpdates: powers.map((power): ValidatorUpdate => ({
          type: 'ed25519',
          publicKey: validator,
          power: BigInt(power),
        })),
        consensusParamUpdates: undefined,
        appHash: appHash(new Set([...state.keys(), ...texts.map((tx) => tx.split('=')[0])]).size),
      }
      pending = { block, response }
      return response
    },
    commit() {
      if (pending === undefined) throw new Error('nothing to commit')
      height = pending.block.height
      blocks.set(height, pending)
      for (const tx of pending.block.txs) {
        const [key = '', value = ''] = Buffer.from(tx).toString().split('=')
        state.set(key, value)
      }
      return { retainHeight: 0 }
    },
    query({ data }) {
      const value = state.get(Buffer.from(data).toString())
      return {
        code: 0,
        log: value === undefined ? 'does not exist' : 'exists',
        info: '',
        index: 0n,
        key: data,
        value: value === undefined ? EMPTY : utf8(value),
        height,
        codespace: '',
      }
    },
  }
  return { application, blocks }
}

export type KvstoreNode = {
  readonly world: CometWorld
  /** Makes a block of what the pool holds and announces it. */
  produceBlock(): Promise<void>
  close(): Promise<void>
}

/** A node before its first block. */
export function createKvstoreNode(): KvstoreNode {
  const home = mkdtempSync(join(tmpdir(), 'assay-kvstore-'))
  const kv = openKv(join(home, 'data'))
  const key = createValidatorKey(join(home, 'key.json'))
  const signStateFile = join(home, 'state.json')
  writeSignState(signStateFile, NO_SIGN_STATE)
  const bus = createEventBus()
  const { application, blocks } = createKvstore(key.signer.publicKey)
  const mempool = createQueueMempool(application)
  const engine = openEmbeddedEngine({
    application,
    source: {
      transactions: (height) => blocks.get(height)?.block.txs ?? [],
      results: (height) => blocks.get(height)?.response,
      findTransaction(hash) {
        for (const [height, { block }] of blocks) {
          const index = block.txs.findIndex((tx) => equalBytes(sha256(tx), hash))
          if (index >= 0) return { height, index }
        }
        return undefined
      },
    },
    mempool,
    kv,
    genesisText: genesisText({
      timeNs: systemClock.now(),
      chainId: 'dockerchain',
      validators: [{ publicKey: key.signer.publicKey, power: 10n, name: '' }],
      appState: undefined,
    }),
    key,
    signStateFile,
    node: {
      id: toHexDigits(key.address),
      moniker: 'kvstore',
      listenAddress: 'tcp://0.0.0.0:26656',
      rpcAddress: 'tcp://127.0.0.1:26657',
    },
    clock: systemClock,
    production: 'manual',
    publish: (block) => bus.emit('block', block),
    fatal(error) {
      throw error
    },
  })
  return {
    world: {
      reader: engine.reader,
      engine,
      application,
      bus,
      pool: { pending: () => new Map(), queued: () => new Map() },
    },
    produceBlock: () => engine.produceBlock(),
    async close() {
      await engine.stop()
      await kv.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
