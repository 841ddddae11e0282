import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { jsonRpcCaller, type CallLimits } from './jsonRpc.ts'

const servers: http.Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server that answers every request with `answer`. */
async function serve(answer: http.RequestListener): Promise<URL> {
  const server = http.createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const serveText = (text: string | Uint8Array, status = 200) =>
  serve((_request, response) => response.writeHead(status).end(text))

function ask(url: URL, limits: Partial<CallLimits> = {}) {
  const deadline = new AbortController().signal
  return jsonRpcCaller(url, 'the server', { deadline, ...limits })('status', {})
}

test('a result is given as it is, whatever the status', async () => {
  const text = '{"jsonrpc":"2.0","id":1,"result":{"height":"1"}}'
  expect(await ask(await serveText(text, 500))).toEqual({ height: '1' })
})

test("an error of the server is told in the server's words, cut to size", async () => {
  const text = JSON.stringify({ error: { code: -32603, message: 'no', data: 'x'.repeat(9999) } })
  await expect(ask(await serveText(text))).rejects.toMatchObject({
    name: 'RpcAnswerError',
    data: 'x'.repeat(500),
  })
})

test.each([
  ['text that is not JSON', '<html>', 'not valid JSON'],
  ['an empty answer', '', 'JSON'],
  ['a number', '7', 'not JSON-RPC'],
  ['deep nesting', '['.repeat(100_000), 'nested deeper'],
  ['bytes that are not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'not valid'],
])('%s is refused', async (_name, text, reason) => {
  await expect(ask(await serveText(text))).rejects.toMatchObject({
    name: 'ServerError',
    message: expect.stringContaining(reason) as string,
  })
})

test('an answer is read up to its limit and no further', async () => {
  let sent = 0
  const url = await serve((_request, response) => {
    response.on('error', () => undefined)
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(1000))) sent += 1000
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  })
  await expect(ask(url, { answerBytes: 50_000 })).rejects.toThrow('larger than 50000 bytes')
  expect(sent).toBeLessThan(50_000_000)
})

test('a server that never ends its answer is given up', async () => {
  const url = await serve((_request, response) => response.write('{"result":'))
  await expect(ask(url, { answerMs: 50 })).rejects.toThrow('did not respond in time')
  await expect(ask(url, { deadline: AbortSignal.timeout(50) })).rejects.toThrow('in time')
})

test('redirects are not followed', async () => {
  let followed = false
  const target = await serve((_request, response) => {
    followed = true
    response.end('{"result":1}')
  })
  const url = await serve((_request, response) =>
    response.writeHead(307, { location: target.href }).end(),
  )
  await expect(ask(url)).rejects.toMatchObject({ name: 'ServerError' })
  expect(followed).toBe(false)
})

test('a port where nobody listens is named', async () => {
  const url = await serve((_request, response) => response.end())
  servers.splice(0).forEach((server) => server.close())
  await expect(ask(url)).rejects.toThrow(`the server at ${url.host}: status: `)
})
