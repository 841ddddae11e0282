/** POST over connections that stay open: `fetch` takes several times the processor time of node:http. */
import http from 'node:http'
import { codeOf } from '../../base/errors.ts'

/** Time without a byte after which a request fails, and after which an idle connection is closed; CometBFT's are 10 s. */
const ANSWER_MS = 10_000
const IDLE_MS = 5_000

const MAX_CONNECTIONS = 8

/** Maximum size of an answer, in bytes: a consensus state with the votes of many peers is the largest. */
const MAX_ANSWER = 64 * 1024 * 1024

export type Post = (body: string) => Promise<string>

/** Posts JSON to a URL and resolves with the body of the answer, whatever its status. Ends with the signal. */
export function createPost(url: string, signal: AbortSignal): Post {
  const agent = new http.Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    timeout: IDLE_MS,
  })
  signal.addEventListener('abort', () => agent.destroy(), { once: true })

  function attempt(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      const options = { method: 'POST', agent, headers, timeout: ANSWER_MS }
      const request = http.request(url, options, (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MAX_ANSWER) request.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        response.on('end', () => resolve(Buffer.concat(chunks).toString()))
        response.on('error', reject)
      })
      request.on('timeout', () => request.destroy(new Error(`no answer in ${ANSWER_MS / 1000} s`)))
      request.on('error', (error) =>
        // It closed an idle connection just as the request was sent.
        request.reusedSocket && codeOf(error) === 'ECONNRESET'
          ? resolve(attempt(body))
          : reject(error),
      )
      request.end(body)
    })
  }

  return async (body) => {
    if (signal.aborted) throw new Error('stopped')
    return await attempt(body)
  }
}
