/**
 * Transports for JSON-RPC requests to a node and their responses: HTTP, WebSocket and the IPC socket, one by one and in
 * batches.
 */
import path from 'node:path'
import { expect } from 'vitest'
import { openIpc, openWebSocket, type Line } from './lines.ts'

export type Answer = {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Sends envelopes and returns the responses, in any order. */
export type Transport = (envelopes: readonly string[]) => Promise<readonly Answer[]>

/** Where a node is served: HTTP and WebSocket as URLs, and its home. */
export type Served = { readonly rpc: string; readonly ws: string; readonly home: string }

/** A hang is a failure. Passphrases that are wrong wait for some seconds (D43), and so do all that come after. */
export const PATIENCE_MS = 90_000

/** What a connection subscribed to goes with it. */
const TURNS_PER_CONNECTION = 200

/** A connection that was idle may be closed by the server while the client takes it up again: then there is another one. */
export async function sentAgain(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (error) {
    const code = (error as { cause?: { code?: string } }).cause?.code ?? ''
    if (!['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code)) throw error
    return send()
  }
}

/** The text that answers a body. */
export async function post(url: string, body: string): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  const headers = { 'content-type': 'application/json' }
  try {
    const response = await sentAgain(() => fetch(url, { method: 'POST', headers, body, signal }))
    expect(response.status).toBe(200)
    return await response.text()
  } catch (error) {
    return expect.fail(`${String(error)}: ${body}`)
  }
}

/** Sends texts and waits for as many answers; notifications do not count. */
function exchange(line: Line, texts: readonly string[]): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const answers: Answer[] = []
    const timer = setTimeout(() => {
      const ids = new Set(answers.map(({ id }) => id))
      reject(new Error(`no answer: ${texts.filter((_, id) => !ids.has(id)).join(' ')}`))
    }, PATIENCE_MS)
    line.onMessage = (text) => {
      const answer = JSON.parse(text) as Answer
      if (answer.method !== undefined) return
      if (answers.push(answer) < texts.length) return
      clearTimeout(timer)
      resolve(answers)
    }
    for (const text of texts) line.send(text)
  })
}

/** A connection for some hundred turns, then another one. */
function renewed(open: () => Promise<Line>): (texts: readonly string[]) => Promise<Answer[]> {
  let line: Line | undefined
  let turns = 0
  return async (texts) => {
    if (turns++ % TURNS_PER_CONNECTION === 0) {
      line?.close()
      line = await open()
    }
    if (line === undefined) throw new Error('no connection')
    return exchange(line, texts)
  }
}

/** All transports by name, with connections of their own: each takes one turn at a time. */
export function createTransports({ rpc, ws, home }: Served): Readonly<Record<string, Transport>> {
  const overProfile = renewed(() => openWebSocket(`${ws}/ethereum`))
  return {
    'HTTP, one each': (texts) =>
      Promise.all(texts.map(async (text) => JSON.parse(await post(rpc, text)) as Answer)),
    'HTTP, as a batch': async (texts) =>
      JSON.parse(await post(`${rpc}/ethereum`, `[${texts.join()}]`)) as Answer[],
    WebSocket: renewed(() => openWebSocket(ws)),
    'WebSocket, as a batch': async (texts) => (await overProfile([`[${texts.join()}]`])).flat(),
    IPC: renewed(() => openIpc(path.join(home, 'assay.ipc'))),
  }
}
