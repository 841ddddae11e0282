/**
 * Where a remote signer connects (CometBFT's `priv_validator_laddr`): the signer dials, the node asks. One signer is
 * connected at a time; requests wait while there is none, and are asked again when it is back (D98).
 */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ed25519Signer, generateEd25519Seed } from '../../base/ed25519.ts'
import { messageOf } from '../../base/errors.ts'
import { formatAddress, listen, listenOnPath, type ListenAddress } from '../../base/listen.ts'
import type { Log } from '../../base/log.ts'
import { createSerialQueue } from '../../base/serialQueue.ts'
import { ChannelError, plainChannel, type Channel } from './channel.ts'
import { decodePrivval, encodePrivval, type PrivvalMessage } from './messages.ts'
import { openSecretChannel } from './secretChannel.ts'

/** As in CometBFT: time for an answer, and between pings of an idle signer, which must be shorter. */
const ANSWER_MS = 5000
const PING_MS = 3000
/** Connections that have not identified themselves yet; more than these are strangers. */
const MAX_HANDSHAKES = 4

const FLAG = '--priv-validator-laddr'

/** The node stops; nothing was signed. */
export class SigningStoppedError extends Error {
  override readonly name = 'SigningStoppedError'
}

export type SignerAddress = ListenAddress | { readonly path: string }

/** A message of one type. */
export type MessageOf<Type extends PrivvalMessage['type']> = Extract<
  PrivvalMessage,
  { readonly type: Type }
>

export type SignerListener = {
  /** Where it listens, with the actual port. */
  readonly url: string
  /**
   * Asks the signer, for as long as it takes until one answers with a message of type `expected`. Rejects with
   * SigningStoppedError alone.
   */
  ask<Type extends PrivvalMessage['type']>(
    request: PrivvalMessage,
    expected: Type,
  ): Promise<MessageOf<Type>>
  /** Whether a signer is connected, as far as is known: silence is noticed by a ping within seconds. */
  isConnected(): boolean
  /** Drops the connection: what came over it makes no sense. */
  drop(reason: string): void
  close(): Promise<void>
}

/** Rejects with ChannelError after a time. */
async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(milliseconds, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new ChannelError(`the signer did not answer within ${milliseconds / 1000} s`)
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
  }
}

async function exchange<Type extends PrivvalMessage['type']>(
  channel: Channel,
  request: PrivvalMessage,
  expected: Type,
): Promise<MessageOf<Type>> {
  channel.send(encodePrivval(request))
  const answer = decodePrivval(await within(ANSWER_MS, channel.receive()))
  if (answer.type !== expected)
    throw new ChannelError(`the signer answered ${request.type} with ${answer.type}`)
  return answer as MessageOf<Type>
}

/** Starts listening. Throws UserError. */
export async function startSignerListener(
  address: SignerAddress,
  log: Log,
  signal: AbortSignal,
): Promise<SignerListener> {
  // CometBFT has a fresh identity per start, too: signers do not check it.
  const identity = ed25519Signer(generateEd25519Seed())
  const turns = createSerialQueue()
  const sockets = new Set<net.Socket>()
  let handshakes = 0
  let channel: Channel | undefined
  let wake: () => void = () => undefined

  function drop(reason: string): void {
    if (channel === undefined) return
    channel.close()
    channel = undefined
    if (!signal.aborted)
      log.warn({ reason }, 'the remote signer is away: nothing is signed until it is back')
  }

  async function connected(): Promise<Channel> {
    for (;;) {
      if (signal.aborted) throw new SigningStoppedError('the node is stopping')
      if (channel !== undefined) return channel
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  signal.addEventListener('abort', () => {
    channel?.close()
    wake()
  })

  /** Whether the connected signer still answers. */
  function isAlive(): Promise<boolean> {
    return turns.run(async () => {
      if (channel === undefined) return false
      try {
        await exchange(channel, { type: 'pingRequest' }, 'pingResponse')
        return true
      } catch (error) {
        drop(messageOf(error))
        return false
      }
    })
  }

  async function welcome(socket: net.Socket): Promise<void> {
    handshakes++
    try {
      const next =
        'path' in address
          ? plainChannel(socket)
          : await within(ANSWER_MS, openSecretChannel(socket, identity))
      if (channel !== undefined && (await isAlive())) {
        log.warn('a second signer connected, and was refused: one is connected already')
        next.close()
        return
      }
      channel = next
      log.info('the remote signer is connected')
      wake()
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a connection to the address of the signer was closed')
      socket.destroy()
    } finally {
      handshakes--
    }
  }

  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    if (handshakes >= MAX_HANDSHAKES) {
      socket.destroy()
      return
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    void welcome(socket)
  })
  const url =
    'path' in address
      ? `unix://${address.path}`
      : `tcp://${formatAddress({ ...address, port: await listen(server, address, FLAG) })}`
  if ('path' in address) await listenOnPath(server, address.path, FLAG)
  log.info({ address: url }, 'waiting for the remote signer')
  const pings = setInterval(() => {
    if (channel !== undefined) void isAlive()
  }, PING_MS)
  pings.unref()

  return {
    url,
    isConnected: () => channel !== undefined,
    drop,
    ask: (request, expected) =>
      turns.run(async () => {
        for (;;) {
          const current = await connected()
          try {
            return await exchange(current, request, expected)
          } catch (error) {
            if (channel === current) drop(messageOf(error))
          }
        }
      }),
    async close() {
      clearInterval(pings)
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
