/**
 * The largest requests that are allowed, and some beyond, for every method of the JSON-RPC, every endpoint of the consensus
 * RPC and every route of the dispatcher, made from their own schemas: no request holds an event loop of the running system for
 * more than 200 ms, all together leave no more than 100 MB, and blocks go on. Each place of a schema is attacked in all ways
 * once; ASSAY_TORTURE_RUNS attacks it again in every method that has it. Linux only.
 */
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { REQUEST_LIMITS } from '../../src/base/jsonBudget.ts'
import { METHODS } from '../../src/rpc/table.ts'
import { eventually, newHome, rpc, startAssay, type Running } from '../support/assay.ts'
import { sentAgain } from '../support/rpcTransports.ts'
import { dispatcherRoutes } from '../support/dispatcherRoutes.ts'
import { attacksOn, batches, raw, singles, type Attack, type Seen } from './attacks.ts'
import { MAX_GROWTH_BYTES, MAX_STRETCH_MS, run, worst } from './campaign.ts'
import { cometAttacks, type CometAttack } from './cometAttacks.ts'
import { childOf, inspectorIn, meterOf, type Meter } from './meter.ts'

const IS_FULL = process.env['ASSAY_TORTURE_RUNS'] !== undefined
const ROOM = { characters: 5_242_880 - 1024, values: REQUEST_LIMITS.values }
const BATCH_LIMIT = 1000
const PATIENCE_MS = 60_000
const TIMEOUT_MS = IS_FULL ? 3_600_000 : 600_000
/** Of a WebSocket's message, and of the consensus RPC's body. */
const MESSAGE = { characters: 1024 * 1024 - 1024, values: REQUEST_LIMITS.values }
const COMET = { characters: 1_000_000 - 1024, values: REQUEST_LIMITS.values }

/** What waits for a block, or for seconds after a wrong passphrase, by its nature. */
const WAITS: ReadonlySet<string> = new Set([
  'eth_sendRawTransactionSync',
  'miner_setEtherbase',
  'personal_newAccount',
])

let system: Running
let node: Meter
let dispatcher: Meter

function meter(program: string, metrics: string): Promise<Meter> {
  const log = path.join(system.home, 'logs', `${program}.log`)
  return inspectorIn(() => fs.readFileSync(log, 'utf8')).then((inspector) =>
    meterOf({ pid: childOf(system.process.pid ?? 0, `\0${program}\0`), metrics, inspector }),
  )
}

beforeAll(async () => {
  system = await startAssay(newHome(), ['--metrics.address=127.0.0.1:0'], {
    environment: { NODE_OPTIONS: '--inspect=127.0.0.1:0' },
  })
  node = await meter('node', `${system.up.metrics['node']}`)
  dispatcher = await meter('dispatcher', `${system.up.metrics['dispatcher']}`)
  // Threads that are there from the first request on are no growth.
  for (const [name, { params }] of Object.entries(METHODS))
    if (!WAITS.has(name)) {
      const [request] = batches(name, params, { characters: 2000, values: 100 }, 4)
      if (request !== undefined) await sendRpc(request.body())
    }
})
afterAll(async () => {
  await system.stop()
  fs.rmSync(path.dirname(system.home), { recursive: true, force: true })
})

async function height(): Promise<number> {
  return Number((await rpc(system.up.rpc, 'eth_blockNumber')).result)
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<string> {
  const response = await sentAgain(() =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    }),
  )
  const text = await response.text()
  if (response.status === 500 && !text.includes('jsonrpc')) expect.fail(text.slice(0, 300))
  return text
}

async function sendRpc(body: string): Promise<void> {
  const text = await post(system.up.rpc, body, { authorization: `Bearer ${system.up.rpcToken}` })
  if (text.includes('"code":-32603')) expect.fail(`an internal error: ${text.slice(0, 300)}`)
}

async function sendComet(body: string, { path: target }: CometAttack): Promise<void> {
  const url = `${system.up.comet}${target ?? ''}`
  const type = 'application/x-www-form-urlencoded'
  if (target !== undefined && body === '') await (await sentAgain(() => fetch(url))).text()
  else await post(url, body, target === undefined ? {} : { 'content-type': type })
}

/** Runs attacks on a process, judges what they did to it, and prints the figures. */
async function judge<Each extends Attack>(
  title: string,
  meter: Meter,
  attacks: readonly Each[],
  send: (body: string, attack: Each) => Promise<void>,
): Promise<void> {
  const before = await meter.residentBytes()
  const blocks = await height()
  const findings = await run(attacks, meter, send)
  const growth = (await meter.residentBytes(before + MAX_GROWTH_BYTES / 2)) - before
  const figures = `${title}: ${attacks.length} attacks, growth ${(growth / 1e6).toFixed()} MB`
  console.info([figures, ...worst(findings)].join('\n'))
  await eventually(async () => ((await height()) > blocks ? true : undefined))
  expect(findings.filter(({ stretchMs }) => stretchMs > MAX_STRETCH_MS)).toEqual([])
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES)
}

// Holds D72.
test(
  'no request of the JSON-RPC holds the node',
  async () => {
    const seen: Seen = IS_FULL ? undefined : new Set()
    const attacks: Attack[] = [...raw(ROOM)]
    for (const [name, { params }] of Object.entries(METHODS))
      if (!WAITS.has(name))
        attacks.push(
          ...singles(name, params, ROOM, seen),
          ...batches(name, params, ROOM, BATCH_LIMIT),
        )
    await judge('JSON-RPC', node, attacks, sendRpc)
  },
  TIMEOUT_MS,
)

test(
  'no message to the WebSocket holds the node, subscriptions among them',
  async () => {
    const socket = new WebSocket(system.up.ws)
    await once(socket, 'open')
    const send = async (body: string): Promise<void> => {
      const answered = once(socket, 'message')
      socket.send(body)
      await answered
    }
    const { params = {} } = METHODS['eth_subscribe'] ?? {}
    const rest = { name: z.literal('logs'), options: params['options'] as z.ZodType }
    const seen: Seen = IS_FULL ? undefined : new Set()
    const attacks = [
      ...raw(MESSAGE),
      ...singles('eth_subscribe', rest, MESSAGE, seen),
      ...singles(
        'eth_subscribe',
        { ...rest, name: z.literal('transactionReceipts') },
        MESSAGE,
        seen,
      ),
    ]
    await judge('WebSocket', node, attacks, send)
    socket.close()
  },
  TIMEOUT_MS,
)

test(
  'no request of the consensus RPC holds the node',
  async () => {
    const attacks = cometAttacks(COMET)
    const kinds = new Set<string>()
    // One endpoint in all ways; the others share its reading of requests.
    const chosen = attacks.filter(({ name }, at) => {
      const kind = name.split(' ').slice(2).join(' ')
      const isNew = !kinds.has(kind)
      kinds.add(kind)
      return IS_FULL || isNew || at % 7 === 0
    })
    await judge('consensus RPC', node, [...raw(COMET), ...chosen], sendComet)
  },
  TIMEOUT_MS,
)

test(
  'no request of a route holds the dispatcher',
  async () => {
    const seen: Seen = IS_FULL ? undefined : new Set()
    const { token, project } = system.up
    const routes = await dispatcherRoutes()
    const attacks = routes.flatMap(({ url, schema, bodyLimit = 1024 * 1024 }) => {
      const { body } = schema
      if (!(body instanceof z.ZodType)) return []
      const room = { characters: bodyLimit - 4096, values: REQUEST_LIMITS.values }
      const write = (value: unknown): string =>
        JSON.stringify({ from: project, verify: token, ...(value as object) })
      const all = [...raw(room), ...attacksOn('', body, room, seen, write)]
      return all.map(({ name, body: make }) => ({ name: `${url} ${name}`, body: make, url }))
    })
    const send = (body: string, { url }: (typeof attacks)[number]) =>
      // Without the token nobody reads a body of this size.
      post(`${system.up.dispatcher}${url}`, body, { authorization: `Bearer ${token}` }).then(
        () => undefined,
      )
    await judge('dispatcher', dispatcher, attacks, send)
  },
  TIMEOUT_MS,
)
