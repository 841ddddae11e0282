/**
 * One connection of CometBFT. Answers leave in the order of the requests. Checks of transactions run side by side, so that
 * their signatures are recovered together; everything else waits for all that came before it.
 */
import type { Socket } from 'node:net'
import { concatAll } from '../../base/bytes.ts'
import { messageOf } from '../../base/errors.ts'
import { dispatch, type RemoteApplication } from './dispatch.ts'
import { createFrameReader, encodeFrame, MAX_FRAME_BYTES } from './frames.ts'
import { decodeRequest, type AbciRequest } from './request.ts'
import { encodeResponse, type AbciResponse } from './response.ts'

/** Requests in hand after which no more are read. CometBFT itself stops at 256, beside checks of transactions. */
const MOST_IN_HAND = 4096

export type ConnectionOptions = {
  readonly application: RemoteApplication
  /** Told why the connection was closed from this side. */
  readonly onRefused: (reason: string) => void
  /** The application failed: its answer is an exception, after which CometBFT ends. */
  readonly onFault: (error: unknown) => void
  readonly frameLimit?: number
}

/** Serves a socket until one side closes it. */
export function serveConnection(socket: Socket, options: ConnectionOptions): void {
  const { application, onRefused, onFault } = options
  const frames = createFrameReader(options.frameLimit ?? MAX_FRAME_BYTES)
  /** Settles with the last request that is no check, and with all requests so far. */
  let lastExclusive: Promise<unknown> = Promise.resolve()
  let all: Promise<unknown> = Promise.resolve()
  let answers: Promise<void> = Promise.resolve()
  let outgoing: Uint8Array[] = []
  let inHand = 0
  let isRefused = false

  function send(): void {
    if (outgoing.length > 0 && socket.writable) socket.write(concatAll(outgoing))
    outgoing = []
  }

  function refuse(reason: string): void {
    if (isRefused) return
    isRefused = true
    onRefused(reason)
    send()
    socket.end()
    socket.pause()
  }

  async function answer(request: AbciRequest): Promise<AbciResponse> {
    try {
      return await dispatch(application, request)
    } catch (error) {
      onFault(error)
      return { type: 'exception', error: `${request.type}: ${messageOf(error)}` }
    }
  }

  function serve(request: AbciRequest): void {
    const isCheck = request.type === 'checkTx'
    const response = (isCheck ? lastExclusive : all).then(() => answer(request))
    all = Promise.all([all, response]).then(() => undefined)
    if (!isCheck) lastExclusive = all
    inHand++
    if (inHand === MOST_IN_HAND) socket.pause()
    answers = answers.then(async () => deliver(request, await response))
  }

  function deliver(request: AbciRequest, response: AbciResponse): void {
    inHand--
    if (inHand === MOST_IN_HAND / 2 && !isRefused) socket.resume()
    outgoing.push(encodeFrame(encodeResponse(response)))
    if (response.type === 'exception') refuse(response.error)
    // CometBFT waits for a flush; whoever does not ask for one is answered when nothing is left to do.
    else if (request.type === 'flush' || inHand === 0) send()
  }

  socket.on('data', (chunk) => {
    try {
      for (const frame of frames.push(chunk)) serve(decodeRequest(frame))
    } catch (error) {
      refuse(messageOf(error))
    }
  })
  socket.on('error', () => socket.destroy())
}
