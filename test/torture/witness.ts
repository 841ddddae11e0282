/** What a node has shown to others. None of it may ever change or be lost, whatever happened to the node since. */
import path from 'node:path'
import { toBase64 } from '../../src/base/base64.ts'
import { toUpperHexDigits } from '../../src/base/hex.ts'
import { homePaths } from '../../src/config/home.ts'
import { openBlockStore } from '../../src/consensus/embedded/blockStore.ts'
import { loadSignState } from '../../src/consensus/files/signState.ts'
import { openKv } from '../../src/store/kv.ts'

export type Witness = {
  /** A receipt as it was answered. */
  receipt(hash: string, json: string): void
  /** Asks for the latest commit and remembers it. */
  watch(comet: string): Promise<void>
  /** Compares what a stopped home holds with what was shown: its last block, and its signatures. */
  inspect(home: string): Promise<void>
  /** Asks a node again for what was shown: everything, or what is new and some of the rest. */
  ask(urls: { readonly rpc: string; readonly comet: string }, all: boolean): Promise<void>
  readonly faults: string[]
  counts(): { readonly receipts: number; readonly heights: number; readonly signatures: number }
}

type SignedHeader = {
  readonly header: { readonly height: string }
  readonly commit: {
    readonly block_id: { readonly hash: string }
    readonly signatures: readonly { readonly signature: string }[]
  }
}

/** How many of the things that were asked for already are asked for again. */
const SAMPLE = 10

/** Receipts per request. */
const BATCH = 250

async function readReceipts(url: string, hashes: readonly string[]): Promise<readonly unknown[]> {
  const method = 'eth_getTransactionReceipt'
  const requests = hashes.map((hash, id) => ({ jsonrpc: '2.0', id, method, params: [hash] }))
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests),
  })
  const answers = (await response.json()) as { id: number; result?: unknown }[]
  return answers.sort((a, b) => a.id - b.id).map(({ result }) => result)
}

export function createWitness(random: () => number): Witness {
  const receipts = new Map<string, string>()
  const blocks = new Map<number, string>()
  const signatures = new Map<number, string>()
  const faults: string[] = []
  let asked = { receipts: 0, blocks: 0 }

  /** Remembers a value, or complains about another one. */
  function note<K>(map: Map<K, string>, key: K, value: string, what: string): void {
    const known = map.get(key)
    if (known === undefined) map.set(key, value)
    else if (known !== value) faults.push(`${what} ${String(key)}: ${known} became ${value}`)
  }

  async function readCommit(comet: string, height?: number): Promise<void> {
    const query = height === undefined ? '' : `?height=${height}`
    const response = await fetch(`${comet}/commit${query}`)
    const { result } = (await response.json()) as { result?: { signed_header: SignedHeader } }
    if (result === undefined) {
      if (height !== undefined) faults.push(`the commit of height ${height} is lost`)
      return
    }
    const { header, commit } = result.signed_header
    note(blocks, Number(header.height), commit.block_id.hash, 'block')
    note(signatures, Number(header.height), commit.signatures[0]?.signature ?? '', 'signature')
  }

  /** The last `count` keys in full, and some of those before. */
  function selected<K>(map: ReadonlyMap<K, string>, from: number): K[] {
    const keys = [...map.keys()]
    const older = Array.from({ length: Math.min(SAMPLE, from) }, () =>
      keys.at(Math.floor(random() * from)),
    )
    return [...older.filter((key) => key !== undefined), ...keys.slice(from)]
  }

  return {
    faults,
    receipt: (hash, json) => note(receipts, hash, json, 'receipt'),
    watch: (comet) => readCommit(comet),
    async inspect(home) {
      const paths = homePaths(path.resolve(home))
      const file = loadSignState(paths.validatorState)
      const kv = openKv(paths.chainStore)
      const store = openBlockStore(kv)
      const tip = store.state()?.height ?? 0
      const seen = store.seenCommit()
      const hash = store.block(tip)?.blockId.hash
      await kv.close()
      if (seen !== undefined)
        note(
          signatures,
          seen.height,
          toBase64(seen.signatures[0]?.signature ?? new Uint8Array(0)),
          'signature',
        )
      if (file.signed !== undefined)
        note(signatures, file.height, toBase64(file.signed.signature), 'signature')
      if (hash !== undefined) note(blocks, tip, toUpperHexDigits(hash), 'block')
      if (file.height !== tip && file.height !== tip - 1)
        faults.push(`the sign state is at ${file.height}, the store at ${tip}`)
      const shown = Math.max(0, ...blocks.keys())
      if (tip < shown) faults.push(`block ${shown} was shown, the store ends at ${tip}`)
    },
    async ask({ rpc: url, comet }, all) {
      const hashes = selected(receipts, all ? 0 : asked.receipts)
      for (let at = 0; at < hashes.length; at += BATCH) {
        const batch = hashes.slice(at, at + BATCH)
        for (const [index, receipt] of (await readReceipts(url, batch)).entries())
          note(receipts, batch[index] ?? '', JSON.stringify(receipt), 'receipt')
      }
      for (const height of selected(blocks, all ? 0 : asked.blocks)) await readCommit(comet, height)
      asked = { receipts: receipts.size, blocks: blocks.size }
    },
    counts: () => ({
      receipts: receipts.size,
      heights: Math.max(0, ...blocks.keys()),
      signatures: signatures.size,
    }),
  }
}
