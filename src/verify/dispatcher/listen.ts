/** Opening the dispatcher's listeners, with errors that say what to do. */
import type { Server } from 'node:net'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'

/** Where to listen; port 0 takes a free one. */
export type ListenAddress = { readonly host: string; readonly port: number }

/**
 * Listens on an address; where it is the IPv4 loopback, also on `::1` at the same port, for clients that resolve localhost
 * to it (D50). `create` makes one server per listener; `setting` is the flag that changes the address. Throws UserError.
 */
export async function listenAll<T extends Server>(
  create: () => T,
  { host, port: wanted }: ListenAddress,
  setting: string,
): Promise<{ readonly servers: readonly T[]; readonly port: number }> {
  const first = create()
  try {
    await listen(first, host, wanted)
  } catch (error) {
    throw new UserError(
      codeOf(error) === 'EADDRINUSE'
        ? `${host}:${wanted} is taken: another program listens on port ${wanted}`
        : `cannot listen on ${host}:${wanted}: ${messageOf(error)}`,
      `Choose another address with --${setting} host:port (port 0 takes a free one).`,
    )
  }
  const bound = first.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : wanted
  if (host !== '127.0.0.1') return { servers: [first], port }
  const second = create()
  return listen(second, '::1', port).then(
    () => ({ servers: [first, second], port }),
    () => ({ servers: [first], port }),
  )
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
