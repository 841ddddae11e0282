/**
 * A typed client of the JSON-RPC: one function per method, under its name on the wire. It needs only `fetch` or a
 * WebSocket, and shares no code with the program.
 */
import { http } from './http.ts'
import { METHOD_NAMES, type Methods } from './methods.ts'
import type { Transport } from './request.ts'

/** One function per method: parameters by position as on the wire, and the result as on the wire. */
export type Client = {
  readonly [Name in keyof Methods]: (
    ...params: Methods[Name]['params']
  ) => Promise<Methods[Name]['result']>
}

/** A client over a transport, or over HTTP to a URL. Its functions reject with RequestError for the node's errors. */
export function createClient(transport: Transport | string): Client {
  const { request } = typeof transport === 'string' ? http(transport) : transport
  const methods = METHOD_NAMES.map((name) => [
    name,
    (...params: readonly unknown[]) => request(name, params),
  ])
  return Object.fromEntries(methods) as Client
}
