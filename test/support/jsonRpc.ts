/** JSON-RPC servers on free ports over a table of simple methods, for tests of the transports. */
import { pino } from 'pino'
import { z } from 'zod'
import type { MethodTable } from '../../src/wire/dispatch.ts'
import { method, type Result } from '../../src/wire/method.ts'
import { rawJson } from '../../src/wire/rawJson.ts'
import { startJsonRpc, type JsonRpcOptions, type JsonRpcServers } from '../../src/wire/server.ts'

const anything: Result<unknown> = { schema: z.unknown(), encode: (value) => value }

export const TEST_SECRET = new Uint8Array(32).fill(5)

/** The context of the table's methods. */
export type TestWorld = {
  /** test_wait ends when this is called. */
  release: () => void
  readonly waiting: Promise<void>
  /** Sends to every subscription made by test_subscribe; returns whether the last client still accepts it. */
  publish: (result: unknown) => boolean
}

function createTestWorld(): TestWorld {
  let release = (): void => undefined
  const waiting = new Promise<void>((resolve) => {
    release = resolve
  })
  return { release, waiting, publish: () => true }
}

const TABLE: MethodTable<TestWorld> = {
  test_echo: method({
    summary: '',
    params: { value: z.unknown() },
    result: anything,
    handler: (_: TestWorld, { value }) => value,
  }),
  test_big: method({
    summary: '',
    params: { size: z.int() },
    result: anything,
    handler: (_: TestWorld, { size }) => 'x'.repeat(size),
  }),
  test_raw: method({
    summary: '',
    params: { size: z.int() },
    result: anything,
    handler: (_: TestWorld, { size }) => {
      const text = Buffer.from(JSON.stringify('x'.repeat(size)))
      return rawJson([text.subarray(0, size / 2), text.subarray(size / 2)])
    },
  }),
  test_profile: method({
    summary: '',
    params: {},
    result: anything,
    handler: (_: TestWorld, __, { profile }) => profile,
  }),
  test_wait: method({
    summary: '',
    params: {},
    result: anything,
    handler: async ({ waiting }: TestWorld) => {
      await waiting
      return 'released'
    },
  }),
  test_subscribe: method({
    summary: '',
    params: {},
    result: anything,
    handler: (world: TestWorld, _, { connection }) => {
      if (connection === undefined) return null
      connection.subscriptions.set('0x1', new AbortController())
      world.publish = (result) => connection.notify('0x1', result)
      world.publish('first')
      return '0x1'
    },
  }),
  personal_who: method({
    summary: '',
    params: {},
    result: anything,
    handler: (_: TestWorld, __, { principal }) => principal ?? 'nobody',
  }),
}

export type TestServers = JsonRpcServers & {
  readonly world: TestWorld
  readonly url: string
  readonly wsUrl: string
  /** Lines of the log. */
  readonly lines: readonly string[]
}

/** Starts HTTP and WebSocket on free ports of the loopback address. */
export async function startTestServers(
  changes: Partial<JsonRpcOptions<TestWorld>> = {},
): Promise<TestServers> {
  const lines: string[] = []
  const world = createTestWorld()
  const servers = await startJsonRpc({
    table: TABLE,
    world,
    address: { host: '127.0.0.1', port: 0 },
    wsAddress: { host: '127.0.0.1', port: 0 },
    ipcPath: undefined,
    namespaces: ['test', 'personal'],
    blockProfile: 'spec',
    secret: TEST_SECRET,
    privateAccess: 'token',
    privateRemote: false,
    hosts: [],
    corsOrigins: [],
    wsOrigins: [],
    batchLimit: 100,
    bodyLimit: 5 * 1024 * 1024,
    maxConnections: 100,
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    signal: new AbortController().signal,
    ...changes,
  })
  return {
    ...servers,
    world,
    lines,
    url: `http://127.0.0.1:${servers.httpAddress.port}`,
    wsUrl: `ws://127.0.0.1:${servers.wsAddress.port}`,
  }
}
