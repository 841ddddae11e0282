/**
 * The client of CometBFT's RPC against a real CometBFT with its kvstore application, and the gossip over it. Needs
 * CometBFT v0.38.25 in the PATH, or named by ASSAY_COMETBFT.
 */
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { utf8 } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { createGossip } from '../../src/consensus/cometbft/gossip.ts'
import {
  CometRpcError,
  createCometRpcClient,
  MAX_BATCH,
  MAX_BATCH_BYTES,
  type CometRpcClient,
} from '../../src/consensus/cometbft/rpc.ts'
import { eventually } from '../support/assay.ts'
import { hasCometbft, startCometbft, type CometbftNode } from '../support/cometbft.ts'

let count = 0
/** A transaction that kvstore takes, and that has not been sent before. */
const fresh = (): Uint8Array => utf8(`key${++count}=value`)
const ALREADY_THERE = expect.stringContaining('tx already exists in cache')

describe.runIf(hasCometbft())('a real CometBFT', () => {
  let node: CometbftNode
  let client: CometRpcClient
  const stopping = new AbortController()
  beforeAll(async () => {
    node = await startCometbft()
    client = createCometRpcClient(node.url, stopping.signal)
  })
  afterAll(async () => {
    stopping.abort()
    await node.stop()
  })

  async function mined(key: Uint8Array): Promise<true | undefined> {
    const [name] = Buffer.from(key).toString().split('=')
    const response = await fetch(`${node.url}/abci_query?data="${name}"`)
    const { result } = (await response.json()) as {
      result: { response: { value: string | null } }
    }
    return result.response.value === null ? undefined : true
  }

  const delivered = (tx: Uint8Array) => eventually(() => mined(tx))

  test('status, peers and their heights are read', async () => {
    expect(await client.status()).toMatchObject({
      nodeId: node.twin.nodeId,
      version: '0.38.25',
      isCatchingUp: false,
    })
    expect(await client.peers()).toEqual([])
    expect(await client.peerHeights()).toEqual([])
  })

  test('one, several and ten transactions are taken, and mined', async () => {
    for (const size of [1, 2, MAX_BATCH]) {
      const txs = Array.from({ length: size }, fresh)
      expect(await client.broadcast(txs)).toEqual(txs.map(() => undefined))
      for (const tx of txs) await delivered(tx)
    }
  })

  test('what it has already, alone and amid others, is told for each', async () => {
    const [known, other] = [fresh(), fresh()]
    expect(await client.broadcast([known])).toEqual([undefined])
    expect(await client.broadcast([known])).toEqual([ALREADY_THERE])
    expect(await client.broadcast([known, other, known])).toEqual([
      ALREADY_THERE,
      undefined,
      ALREADY_THERE,
    ])
  })

  test('a batch with too many transactions, or too many bytes, is refused as a whole and with the reason', async () => {
    const many = client.broadcast(Array.from({ length: MAX_BATCH + 1 }, fresh))
    await expect(many).rejects.toThrow('batch request exceeds maximum (10)')
    const large = client.broadcast([new Uint8Array(760_000)])
    await expect(large).rejects.toThrow('request body too large')
    await expect(large).rejects.toBeInstanceOf(CometRpcError)
    // As many bytes as one batch of ours has.
    const [first, second] = [new Uint8Array(MAX_BATCH_BYTES - 8).fill(97), fresh()]
    expect(await client.broadcast([first, second])).toEqual([undefined, undefined])
  })

  test('gossip delivers what comes one by one and at once, without a retry', async () => {
    const warnings: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) })
    const wanted = new Set<string>()
    const gossip = createGossip({
      client,
      isWanted: (hash) => wanted.has(toHexDigits(hash)),
      batchLimit: MAX_BATCH,
      log,
      signal: stopping.signal,
    })
    const send = (tx: Uint8Array) => {
      wanted.add(toHexDigits(tx))
      gossip.send(tx, tx)
      return tx
    }
    for (let i = 0; i < 3; i++) await delivered(send(fresh()))
    const many = Array.from({ length: 45 }, () => send(fresh()))
    for (const tx of many) await delivered(tx)
    // One that it has already is no reason to try again.
    const [first] = many
    if (first !== undefined) send(first)
    await delivered(send(fresh()))
    expect(warnings).toEqual([])
  })
})
