/**
 * What the checks of the specification's rows use: a running system, and things on its chain that were made for them.
 */
import { expect } from 'vitest'
import { eventually, rpc, type UpFile } from '../assay.ts'
import { openWebSocket } from '../lines.ts'

/** A member of an answer: objects are compared by what they hold. */
export type Json = Readonly<Record<string, unknown>>

/** One row: its words, and what shows that they hold. Rows of a heading of the specification. */
export type Rows = Readonly<Record<string, (world: SpecifiedWorld) => Promise<void> | void>>

export type SpecifiedWorld = {
  readonly up: UpFile
  readonly alice: string
  readonly bob: string
  /** Emits two topics and a word, and stores 7 at slot 0. */
  readonly contract: string
  readonly creation: Json
  /** Receipt of a call of the contract; the block that holds it, with hashes; the transaction. */
  readonly receipt: Json
  readonly block: Json
  readonly transaction: Json
  readonly log: Json
  /** The result of a method at the root path. Rejects with the error, as an object. */
  ask(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** The same with the token of private methods. */
  askPrivately(method: string, ...params: readonly unknown[]): Promise<unknown>
  /** Sends from alice, and waits for the receipt. */
  send(fields: Json): Promise<Json>
}

export const QUANTITY = /^0x(?:0|[1-9a-f][0-9a-f]*)$/
export const DATA = /^0x(?:[0-9a-f]{2})*$/
export const HASH = /^0x[0-9a-f]{64}$/
export const ADDRESS = /^0x[0-9a-f]{40}$/

export const TOPICS = [0x2a, 0x2b].map((topic) => `0x${topic.toString(16).padStart(64, '0')}`)
export const WORD = `0x${'7'.padStart(64, '0')}`
const RUNTIME = '60075f5560075f52602b602a60205fa260205ff3'
export const CODE = `0x${RUNTIME}`
const INIT = `0x6014600a5f3960145ff3${RUNTIME}`

export function expectMatch(value: unknown, shape: RegExp): void {
  expect(value).toMatch(shape)
}

/** The error of a request that must fail. */
export async function errorOf(
  request: Promise<unknown>,
): Promise<{ code: number; message: string }> {
  const answer = await request.then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(answer).toBeDefined()
  return answer as { code: number; message: string }
}

async function resultOf(
  url: string,
  method: string,
  params: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const { result, error } = await rpc(url, method, params, headers)
  // oxlint-disable-next-line typescript/only-throw-error -- the tests look at it as it came
  if (error !== undefined) throw error
  return result
}

/** Collects what comes over a WebSocket; `until` waits for the first message of a kind. */
export async function openLine(url: string) {
  const line = await openWebSocket(url)
  const messages: Json[] = []
  line.onMessage = (text) => void messages.push(JSON.parse(text) as Json)
  return {
    messages,
    send: (message: object) => line.send(JSON.stringify(message)),
    until: (matches: (message: Json) => boolean) => eventually(() => messages.find(matches)),
    close: () => line.close(),
  }
}

/** Puts a contract and a call of it on the chain. */
export async function prepareWorld(up: UpFile): Promise<SpecifiedWorld> {
  const [alice = '', bob = ''] = up.accounts.slice(6, 8).map(({ address }) => address.toLowerCase())
  const ask: SpecifiedWorld['ask'] = (method, ...params) => resultOf(up.rpc, method, params)
  const send: SpecifiedWorld['send'] = async (fields) => {
    const hash = await ask('eth_sendTransaction', { from: alice, ...fields })
    return eventually(
      async () => ((await ask('eth_getTransactionReceipt', hash)) as Json | null) ?? undefined,
    )
  }
  const creation = await send({ data: INIT })
  const contract = String(creation['contractAddress'])
  const receipt = await send({ to: contract, data: '0x1234', value: '0x0' })
  const { blockNumber, transactionHash } = receipt
  return {
    up,
    alice,
    bob,
    contract,
    creation,
    receipt,
    block: (await ask('eth_getBlockByNumber', blockNumber, false)) as Json,
    transaction: (await ask('eth_getTransactionByHash', transactionHash)) as Json,
    log: (receipt['logs'] as Json[])[0] ?? {},
    ask,
    askPrivately: (method, ...params) =>
      resultOf(up.rpc, method, params, { authorization: `Bearer ${up.rpcToken}` }),
    send,
  }
}
