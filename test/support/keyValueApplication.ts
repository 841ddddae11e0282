/** An application of "key=value" transactions, after CometBFT's kvstore: the engine's tests need one that is not the EVM. */
import { EMPTY_BYTES, utf8 } from '../../src/base/bytes.ts'
import { sha256 } from '../../src/base/sha256.ts'
import type { Application, FinalizeBlockResponse } from '../../src/consensus/application.ts'
import type { BlockSource } from '../../src/consensus/embedded/reader.ts'
import { NO_SNAPSHOTS } from '../../src/consensus/noSnapshots.ts'
import type { Kv } from '../../src/store/kv.ts'

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const isPair = (tx: Uint8Array) => /^[^=]+=[^=]*$/.test(decode(tx))

export type KeyValueApplication = Application & { readonly source: BlockSource }

/** State is in the store, written in commit alone; blocks are remembered in memory. */
export function createKeyValueApplication(kv: Kv): KeyValueApplication {
  const table = kv.table('key-value')
  const blocks = new Map<number, { txs: readonly Uint8Array[]; result: FinalizeBlockResponse }>()
  let staged:
    | { height: number; txs: readonly Uint8Array[]; result: FinalizeBlockResponse }
    | undefined
  const lastHeight = () => Number(decode(table.get(utf8('#height')) ?? utf8('0')))
  const lastHash = () => table.get(utf8('#hash')) ?? EMPTY_BYTES
  return {
    ...NO_SNAPSHOTS,
    info: () => ({
      data: 'key-value',
      version: '0',
      appVersion: 1n,
      lastBlockHeight: lastHeight(),
      lastBlockAppHash: lastHash(),
    }),
    initChain: ({ appState }) => ({ validators: [], appHash: sha256(appState) }),
    checkTx: async (tx) => ({
      code: isPair(tx) ? 0 : 1,
      codespace: isPair(tx) ? '' : 'kv',
      log: isPair(tx) ? '' : 'expected key=value',
      data: EMPTY_BYTES,
      gasWanted: 1n,
      gasUsed: 0n,
    }),
    prepareProposal: async ({ txs, maxTxBytes }) => {
      let left = maxTxBytes
      return txs.filter((tx) => (left -= tx.length + 8) >= 0)
    },
    processProposal: async ({ txs }) => (txs.every(isPair) ? 'accept' : 'reject'),
    async finalizeBlock({ txs, height, hash }) {
      const result: FinalizeBlockResponse = {
        events: [],
        txResults: txs.map((tx) => ({
          code: 0,
          data: tx,
          log: '',
          info: '',
          gasWanted: 1n,
          gasUsed: 1n,
          events: [],
          codespace: '',
        })),
        validatorUpdates: [],
        consensusParamUpdates: undefined,
        appHash: sha256(hash),
      }
      staged = { height, txs, result }
      return result
    },
    commit() {
      if (staged === undefined) throw new Error('commit without finalizeBlock')
      const { height, txs, result } = staged
      kv.write(() => {
        for (const tx of txs) {
          const [key = '', value = ''] = decode(tx).split('=')
          table.put(utf8(key), utf8(value))
        }
        table.put(utf8('#height'), utf8(String(height)))
        table.put(utf8('#hash'), result.appHash)
      })
      blocks.set(height, { txs, result })
      staged = undefined
      return { retainHeight: 0 }
    },
    query: ({ data }) => ({
      code: 0,
      log: '',
      info: '',
      index: 0n,
      key: data,
      value: table.get(data) ?? EMPTY_BYTES,
      height: lastHeight(),
      codespace: '',
    }),
    source: {
      transactions: (height) => blocks.get(height)?.txs ?? [],
      results: (height) => blocks.get(height)?.result,
      findTransaction: () => undefined,
    },
  }
}
