/** A stand-in for vLLM, SGLang, llama-server or Ollama: it speaks OpenAI's API, and keeps what it was asked. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type OpenaiServer = {
  readonly url: string
  /** Bodies of the requests so far, with the paths. */
  readonly asked: { readonly path: string; readonly key: string; readonly body: object }[]
  close(): void
}

/** Starts one that answers with these lines of a stream, or with a status and a body. */
export async function startOpenaiServer(
  answer: readonly object[] | { readonly status: number; readonly body: object },
): Promise<OpenaiServer> {
  const asked: { path: string; key: string; body: object }[] = []
  const server = http.createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/models')
        return response.end(JSON.stringify({ object: 'list', data: [{ id: 'org/model-7b' }] }))
      asked.push({
        path: request.url ?? '',
        key: request.headers.authorization ?? '',
        body: JSON.parse(body) as object,
      })
      if ('status' in answer) {
        response.statusCode = answer.status
        return response.end(JSON.stringify(answer.body))
      }
      response.setHeader('content-type', 'text/event-stream')
      const stream = [...answer.map((each) => JSON.stringify(each)), '[DONE]']
      // Cut anywhere, as networks do.
      const bytes = Buffer.from(`: hello\n\n${stream.map((each) => `data: ${each}\n\n`).join('')}`)
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7))
      return response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, asked, close: () => server.close() }
}
