/** JSON-RPC over a Unix socket that only its owner can open; whoever can open it may use private methods (D13). */
import { once } from 'node:events'
import fs from 'node:fs'
import net from 'node:net'
import { codeOf, UserError } from '../base/errors.ts'
import { MAX_SOCKET_PATH_BYTES } from '../base/listen.ts'
import type { Log } from '../base/log.ts'
import { textOf } from './body.ts'
import type { Dispatch } from './dispatch.ts'
import { failureText } from './envelope.ts'
import { RpcError } from './errors.ts'
import { createJsonSplitter } from './jsonStream.ts'
import type { JsonText } from './rawJson.ts'
import { createSession } from './session.ts'

export type IpcOptions = {
  readonly path: string
  readonly dispatch: Dispatch
  /** Maximum size of a message from a client, in bytes. */
  readonly messageLimit: number
  /** Maximum number of characters of notifications queued for a slow client before it is disconnected. */
  readonly sendBufferLimit: number
  readonly log: Log
}

export type IpcListener = { close(): Promise<void> }

/** Every client of the socket is the owner of this home, hence a single principal (D14). */
const OWNER = {
  transport: 'ipc',
  authorized: true,
  principal: 'ipc',
  client: 'ipc',
  scope: undefined,
  refusal: undefined,
} as const

async function isAnswered(path: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = net.connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

/** Removes a socket left behind by a crash, to make way for a new one. Throws UserError when the path is in use. */
async function clearPath(path: string): Promise<void> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES)
    throw new UserError(
      `the path of the IPC socket is longer than the ${MAX_SOCKET_PATH_BYTES} bytes that the system allows: ${path}`,
      'Choose a shorter --home.',
    )
  let stats: fs.Stats
  try {
    stats = fs.lstatSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if (!stats.isSocket())
    throw new UserError(`${path} is in the way of the IPC socket`, 'Remove or rename it.')
  if (await isAnswered(path))
    throw new UserError(`another process serves ${path}`, 'Stop it, or choose another --home.')
  fs.unlinkSync(path)
}

async function bind(server: net.Server, path: string): Promise<void> {
  // The mask makes the socket private from the start; a later chmod would leave a gap. A socket is bound within
  // listen(), so the mask is restored before anything else can create a file.
  const mask = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(mask)
  }
  await once(server, 'listening')
}

/** Listens on the socket. Throws UserError when the path is too long or taken. */
export async function startIpc(options: IpcOptions): Promise<IpcListener> {
  const { path, dispatch, messageLimit, sendBufferLimit, log } = options
  const sockets = new Set<net.Socket>()

  function serve(socket: net.Socket): void {
    sockets.add(socket)
    const channel = {
      write(text: JsonText, onSent: () => void): void {
        if (typeof text === 'string') {
          socket.write(`${text}\n`, onSent)
          return
        }
        for (const piece of text.pieces) socket.write(piece)
        socket.write('\n', onSent)
      },
      setPaused(isPaused: boolean): void {
        if (isPaused) socket.pause()
        else socket.resume()
      },
      drop(): void {
        log.debug('an IPC client reads too slowly and is dropped')
        socket.destroy()
      },
    }
    // A socket has no path that selects a profile, and only Ethereum tools use it: none of them reads null fields (D4).
    const profile = 'ethereum'
    const session = createSession(channel, { dispatch, who: OWNER, profile, sendBufferLimit })
    const split = createJsonSplitter(messageLimit)
    socket.on('data', (chunk) => {
      try {
        for (const message of split(chunk)) session.receive(textOf(message) ?? '')
      } catch {
        const error = new RpcError('invalidRequest', `message too large (>${messageLimit} bytes)`)
        socket.end(`${failureText('null', error)}\n`)
      }
    })
    socket.on('error', (error) => log.debug({ err: error }, 'an IPC connection failed'))
    socket.once('close', () => {
      sockets.delete(socket)
      session.end()
    })
  }

  await clearPath(path)
  const server = net.createServer(serve)
  await bind(server, path)
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
