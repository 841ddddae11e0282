/** The side of the signer: it dials the node, answers its requests, and dials again when the connection is lost. */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../base/backOff.ts'
import { ed25519Signer, generateEd25519Seed } from '../../base/ed25519.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { plainChannel, type Channel } from './channel.ts'
import { decodePrivval, encodePrivval } from './messages.ts'
import { openSecretChannel } from './secretChannel.ts'
import type { Signer } from './signer.ts'
import type { SignerAddress } from './signerListener.ts'

/** Nodes ping every few seconds: one that is silent for so long is gone. */
const SILENCE_MS = 15_000
/** Maximum back-off between attempts: a validator must not miss more blocks than it has to. */
const MAX_WAIT_MS = 2000

async function connect(address: SignerAddress, signal: AbortSignal): Promise<net.Socket> {
  const socket = net.connect({ ...address, noDelay: true })
  // Also ends whatever waits for its bytes.
  socket.setTimeout(SILENCE_MS, () => socket.destroy())
  signal.addEventListener('abort', () => socket.destroy(), { once: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
  socket.on('error', () => socket.destroy())
  return socket
}

async function serve(channel: Channel, signer: Signer): Promise<never> {
  for (;;) {
    const answer = signer.answer(decodePrivval(await channel.receive()))
    if (answer !== undefined) channel.send(encodePrivval(answer))
  }
}

/**
 * Serves the node at an address until the signal ends. Rejects when the sign state could not be written: then nothing may
 * be signed any more.
 */
export async function runSignerDialer(options: {
  readonly address: SignerAddress
  readonly signer: Signer
  readonly log: Log
  readonly signal: AbortSignal
  /** Called with the first connection. */
  readonly onConnected?: () => void
}): Promise<void> {
  const { address, log, signal } = options
  const identity = ed25519Signer(generateEd25519Seed())
  let failure: unknown
  const signer: Signer = {
    answer(request) {
      try {
        return options.signer.answer(request)
      } catch (error) {
        failure = error
        throw error
      }
    },
  }
  for (let attempt = 0; !signal.aborted; attempt++) {
    let socket: net.Socket | undefined
    try {
      socket = await connect(address, signal)
      const channel =
        'path' in address ? plainChannel(socket) : await openSecretChannel(socket, identity)
      log.info('connected to the node')
      attempt = 0
      options.onConnected?.()
      await serve(channel, signer)
    } catch (error) {
      if (failure !== undefined) throw failure
      if (!signal.aborted) log.warn({ reason: messageOf(error) }, 'not connected to the node')
    } finally {
      socket?.destroy()
    }
    const wait = Math.min(backOff(attempt), MAX_WAIT_MS)
    await sleep(wait, undefined, { signal }).catch(() => undefined)
  }
}
