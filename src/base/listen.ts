/** Opening TCP listeners, with errors that say what to do, and closing them. */
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { codeOf, messageOf, UserError } from './errors.ts'

/**
 * Maximum length of a Unix socket's path: `sun_path` without its terminating zero. The system silently truncates a
 * longer one.
 */
export const MAX_SOCKET_PATH_BYTES: number = process.platform === 'linux' ? 107 : 103

/** Where to listen; port 0 takes a free one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/** "host:port", with brackets around an IPv6 address. */
export function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

function explain(error: unknown, address: ListenAddress, flag: string): UserError {
  const where = formatAddress(address)
  const advice = `Choose another address with ${flag} (port 0 picks a free port).`
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new UserError(
        `${where} is in use: another program listens on port ${address.port}`,
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
 * Listens, and resolves with the port. `flag` is the option that changes the address, as in "--rpc.laddr
 * tcp://host:port". Throws UserError.
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
 * Listens on a Unix socket, mode 0600, in place of one that a killed process left: the caller's lock says that nobody
 * listens there. `flag` is the option that changes the path. Throws UserError.
 */
export async function listenOnPath(server: Server, path: string, flag: string): Promise<void> {
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(
        new UserError(
          `can't listen on ${path}: ${messageOf(error)}`,
          `Choose another address with ${flag}.`,
        ),
      ),
    )
    server.listen(path, resolve)
  })
  chmodSync(path, 0o600)
}

/** For a program of others that will listen there. Throws UserError, as `listen` does, where it could not. */
export async function requireFree(address: ListenAddress, flag: string): Promise<void> {
  const server = createServer()
  await listen(server, address, flag)
  await once(server.close(), 'close')
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

/** Stops listening, lets requests in progress finish within `graceMs`, then closes the remaining connections. */
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
