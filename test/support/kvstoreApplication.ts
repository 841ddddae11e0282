/**
 * CometBFT's kvstore example as an application of ours: the same answers, events and app hashes for the same transactions,
 * so that clients' own tests, and CometBFT itself, can be held against the embedded engine. It keeps everything in memory.
 */
import { fromBase64 } from '../../src/base/base64.ts'
import { EMPTY_BYTES, equalBytes, utf8 } from '../../src/base/bytes.ts'
import { sha256 } from '../../src/base/sha256.ts'
import type {
  Application,
  ApplicationEvent,
  ExecTxResult,
  FinalizeBlockResponse,
  ValidatorUpdate,
} from '../../src/consensus/application.ts'
import type { BlockSource } from '../../src/consensus/embedded/reader.ts'
import { NO_SNAPSHOTS } from '../../src/consensus/noSnapshots.ts'
import type { BlockHits, EventIndex, HeightRange } from '../../src/consensus/eventIndex.ts'

const CODE_INVALID_FORMAT = 2
const VALIDATOR_PREFIX = 'val='

type Block = { readonly txs: readonly Uint8Array[]; readonly response: FinalizeBlockResponse }

export type Kvstore = {
  readonly application: Application
  readonly source: BlockSource
  readonly index: EventIndex
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const count = (text: string, mark: string): number => text.split(mark).length - 1

function validatorUpdate(tx: string): ValidatorUpdate | undefined {
  const [type, key = '', power = ''] = tx.slice(VALIDATOR_PREFIX.length).split('!')
  const publicKey = fromBase64(key)
  return type === 'ed25519' && publicKey?.length === 32 && /^\d+$/.test(power)
    ? { type, publicKey, power: BigInt(power) }
    : undefined
}

function isPair(tx: string, mark: string, other: string): boolean {
  return (
    count(tx, mark) === 1 && count(tx, other) === 0 && !tx.startsWith(mark) && !tx.endsWith(mark)
  )
}

function isValid(tx: string): boolean {
  return tx.startsWith(VALIDATOR_PREFIX)
    ? validatorUpdate(tx) !== undefined
    : isPair(tx, '=', ':') || isPair(tx, ':', '=')
}

function transactionEvents(tx: string): readonly ApplicationEvent[] {
  const parts = tx.split('=')
  const [key, value] = parts.length === 2 ? parts : [tx, tx]
  return [
    ['Cosmoshi Netowoko', key],
    ['Cosmoshi', value],
  ].map(([creator = '', text = '']) => ({
    type: 'app',
    attributes: [
      { key: 'creator', value: creator, index: true },
      { key: 'key', value: text, index: true },
      { key: 'index_key', value: 'index is working', index: true },
      { key: 'noindex_key', value: 'index is working', index: false },
    ],
  }))
}

function blockEvents(height: number): readonly ApplicationEvent[] {
  const rows =
    height % 2 === 0
      ? [
          ['100', '200'],
          ['200', '300'],
        ]
      : [['400', '300']]
  return rows.map(([foo = '', bar = '']) => ({
    type: 'begin_event',
    attributes: [
      { key: 'foo', value: foo, index: true },
      { key: 'bar', value: bar, index: true },
    ],
  }))
}

/** Go's zigzag varint of the number of transactions, in eight bytes. */
function appHash(size: number): Uint8Array {
  const hash = new Uint8Array(8)
  let rest = size * 2
  for (let i = 0; rest > 0; i++) {
    hash[i] = rest > 127 ? (rest % 128) + 128 : rest
    rest = Math.floor(rest / 128)
  }
  return hash
}

function resultOf(tx: string): ExecTxResult {
  return {
    code: 0,
    data: EMPTY_BYTES,
    log: '',
    info: '',
    gasWanted: 0n,
    gasUsed: 0n,
    events: transactionEvents(tx),
    codespace: '',
  }
}

function createApplication(blocks: Map<number, Block>, withBlockEvents: boolean): Application {
  const state = new Map<string, string>()
  let [height, size] = [0, 0]
  let staged: { readonly height: number; readonly block: Block } | undefined
  return {
    ...NO_SNAPSHOTS,
    info: () => ({
      data: JSON.stringify({ size }),
      version: '2.0.0',
      appVersion: 1n,
      lastBlockHeight: height,
      lastBlockAppHash: appHash(size),
    }),
    initChain: () => ({ validators: [], appHash: appHash(0) }),
    checkTx: async (tx) => {
      const code = isValid(textOf(tx)) ? 0 : CODE_INVALID_FORMAT
      const gasWanted = code === 0 ? 1n : 0n
      return { code, codespace: '', log: '', data: EMPTY_BYTES, gasWanted, gasUsed: 0n }
    },
    prepareProposal: async ({ txs }) =>
      txs.map((tx) => utf8(textOf(tx).replace(':', '='))).filter((tx) => isValid(textOf(tx))),
    processProposal: async ({ txs }) =>
      txs.every((tx) => isValid(textOf(tx))) ? 'accept' : 'reject',
    async finalizeBlock(block) {
      const texts = block.txs.map(textOf)
      const response: FinalizeBlockResponse = {
        events: withBlockEvents ? blockEvents(block.height) : [],
        txResults: texts.map(resultOf),
        validatorUpdates: texts
          .filter((tx) => tx.startsWith(VALIDATOR_PREFIX))
          .flatMap((tx) => validatorUpdate(tx) ?? []),
        consensusParamUpdates: undefined,
        appHash: appHash(size + texts.length),
      }
      staged = { height: block.height, block: { txs: block.txs, response } }
      return response
    },
    commit() {
      if (staged === undefined) throw new Error('nothing to commit')
      ;({ height } = staged)
      size += staged.block.txs.length
      blocks.set(height, staged.block)
      for (const tx of staged.block.txs.map(textOf)) {
        const [key = '', value = ''] = tx.split('=')
        if (!tx.startsWith(VALIDATOR_PREFIX)) state.set(key, value)
      }
      return { retainHeight: 0 }
    },
    query({ data, prove }) {
      const value = state.get(textOf(data))
      return {
        code: 0,
        log: value === undefined ? 'does not exist' : 'exists',
        info: '',
        index: prove ? -1n : 0n,
        key: data,
        value: value === undefined ? EMPTY_BYTES : utf8(value),
        height,
        codespace: '',
      }
    },
  }
}

/** An index that looks through everything. */
function createIndex(blocks: ReadonlyMap<number, Block>): EventIndex {
  const hits = (
    { first, last }: HeightRange,
    limit: number,
    isHit: (result: ExecTxResult) => boolean,
  ): readonly BlockHits[] =>
    [...blocks]
      .filter(([height, { txs }]) => height >= first && height <= last && txs.length > 0)
      .slice(0, limit)
      .map(([height, { response }]) => ({
        height,
        indexes: response.txResults.flatMap((result, at) => (isHit(result) ? [at] : [])),
      }))
  return {
    isTransactionTag: () => true,
    isBlockTag: () => true,
    find: (tag, value, range, limit) =>
      hits(range, limit, ({ events }) =>
        events.some(({ type, attributes }) =>
          attributes.some(
            (each) => each.index && `${type}.${each.key}` === tag && each.value === value,
          ),
        ),
      ),
    blocks: (range, limit) => hits(range, limit, () => true),
    transaction(height, index) {
      const block = blocks.get(height)
      const [tx, result] = [block?.txs[index], block?.response.txResults[index]]
      return tx && result && { tx, result }
    },
  }
}

/** The application, with what the engine and the consensus RPC read back of its blocks. */
export function createKvstore(withBlockEvents = false): Kvstore {
  const blocks = new Map<number, Block>()
  return {
    application: createApplication(blocks, withBlockEvents),
    source: {
      transactions: (height) => blocks.get(height)?.txs ?? [],
      results: (height) => blocks.get(height)?.response,
      findTransaction(hash) {
        for (const [height, { txs }] of blocks) {
          const index = txs.findIndex((tx) => equalBytes(sha256(tx), hash))
          if (index >= 0) return { height, index }
        }
        return undefined
      },
    },
    index: createIndex(blocks),
  }
}
