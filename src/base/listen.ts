/** Opening TCP listeners, with errors that say what to do, and closing them. */
import { randomInt } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { codeOf, messageOf, UserError } from './errors.ts'

/** Longest path of a Unix socket: `sun_path` without its final zero. The system cuts a longer one off silently. */
export const MAX_SOCKET_PATH_BYTES: number = process.platform === 'linux' ? 107 : 103

/** Where to listen; port 0 takes a free one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** "host:port", with brackets around an IPv6 address. */
export function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function explain(error: unknown, address: ListenAddress, flag: string): UserError {
  const where = formatAddress(address)
  const advice = `Choose another address with ${flag} (port 0 takes a free one).`
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new UserError(
        `${where} is taken: another program listens on port ${address.port}`,
        advice,
      )
    case 'EACCES':
      return new UserError(`not allowed to listen on ${where}`, advice)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UserError(`${address.host} is not an address of this machine`, advice)
    default:
      return new UserError(`can't listen on ${where}: ${messageOf(error)}`, advice)
  }
}

/**
 * Listens, and resolves with the port. `flag` is what changes the address, as in "--rpc.laddr tcp://host:port". Throws UserError.
 */
export async function listen(
  server: Server,
  address: ListenAddress,
  flag: string,
): Promise<number> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: address.host, port: address.port }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  } catch (error) {
    throw explain(error, address, flag)
  }
  const bound = server.address()
  return typeof bound === 'object' && bound !== null ? bound.port : address.port
}

/**
 * Listens on an address; where it is the IPv4 loopback, also on `::1` at the same port, for clients that resolve localhost
 * to it. A machine without `::1` is fine (D50). `create` makes one server per listener.
 */
export async function listenAll<T extends Server>(
  create: () => T,
  address: ListenAddress,
  flag: string,
): Promise<{ readonly servers: readonly T[]; readonly port: number }> {
  const isDefault = address.host === '127.0.0.1' || address.host === 'localhost'
  const first = create()
  const port = await listen(
    first,
    isDefault ? { host: '127.0.0.1', port: address.port } : address,
    flag,
  )
  if (!isDefault) return { servers: [first], port }
  const second = create()
  try {
    await listen(second, { host: '::1', port }, flag)
  } catch {
    return { servers: [first], port }
  }
  return { servers: [first, second], port }
}

/** Stops listening, lets requests in progress end within `graceMs`, then drops what is left. */
export async function closeServer(server: HttpServer, graceMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

const FIRST_FREE = 10_000
const END_OF_FREE = 32_768
const ATTEMPTS = 100

/**
 * A TCP port of the loopback interface that nobody listens on at the moment. It is below those that the system itself gives to
 * connections and to listeners without a port: these would soon take it again.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(FIRST_FREE, END_OF_FREE)
    try {
      await listenOnce(port)
      return port
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || attempt === ATTEMPTS) throw error
    }
  }
}

/** Resolves when a port was open and is closed again. */
function listenOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
