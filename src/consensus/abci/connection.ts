/**
 * One connection of CometBFT. Responses are sent in the order of the requests. CheckTx and InsertTx requests run
 * concurrently, so that their signatures are recovered in batches; every other request waits for all earlier ones.
 */
import type { Socket } from 'node:net'
import { concatAll } from '../../base/bytes.ts'
import { messageOf } from '../../base/errors.ts'
import { dispatch, type RemoteApplication } from './dispatch.ts'
import { createFrameReader, encodeFrame, MAX_FRAME_BYTES } from './frames.ts'
import { decodeRequest, type AbciRequest } from './request.ts'
import { encodeResponse, type AbciResponse } from './response.ts'

/**
 * Maximum number of requests in progress; beyond it, reading pauses. CometBFT itself stops at 256, not counting
 * CheckTx.
 */
const MOST_IN_HAND = 4096

export type ConnectionOptions = {
  readonly application: RemoteApplication
  /** Called with the reason when this side closed the connection. */
  readonly onRefused: (reason: string) => void
  /** The application failed: its response is an exception, after which CometBFT exits. */
  readonly onFault: (error: unknown) => void
  readonly frameLimit?: number
}

/** Serves a socket until one side closes it. */
export function serveConnection(socket: Socket, options: ConnectionOptions): void {
  const { application, onRefused, onFault } = options
  const frames = createFrameReader(options.frameLimit ?? MAX_FRAME_BYTES)
  /** Settles with the last request other than CheckTx, and with all requests so far. */
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
    const isCheck = request.type === 'checkTx' || request.type === 'insertTx'
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
    // CometBFT waits for a flush; a client that does not send one is answered when nothing is left to do.
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
