// JSON-RPC as text: ready HTTP requests for the load, and single calls for everything around it.
import http from 'node:http'

const JSON_TYPE = 'application/json'

const textOf = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

function post(body, headers = []) {
  const lines = [
    'POST / HTTP/1.1',
    'Host: 127.0.0.1',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** The bytes of an HTTP request for one call, with more headers where they are given. */
export function request(method, params = [], headers = []) {
  return post(textOf(method, params), headers)
}

/** The bytes of an HTTP request for many calls, given as `[method, params]`. */
export function batchRequest(calls) {
  return post(`[${calls.map(([method, params]) => textOf(method, params)).join(',')}]`)
}

function send(port, text) {
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      { host: '127.0.0.1', port, method: 'POST', headers: { 'content-type': JSON_TYPE } },
      (incoming) => {
        incoming.setEncoding('utf8')
        let body = ''
        incoming.on('data', (chunk) => (body += chunk))
        incoming.on('end', () => resolve(body))
        incoming.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.setTimeout(60_000, () => outgoing.destroy(new Error('no answer for 60 seconds')))
    outgoing.end(text)
  })
}

function resultOf({ error, result }, method) {
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

/** The result of one call. Throws what the server answered as an error. */
export async function call(port, method, params = []) {
  return resultOf(JSON.parse(await send(port, textOf(method, params))), method)
}

/** The results of many calls of one method, in the order of `paramsList`. */
export async function callMany(port, method, paramsList) {
  if (paramsList.length === 0) return []
  const texts = paramsList.map((params, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  )
  const answers = JSON.parse(await send(port, `[${texts.join(',')}]`))
  return answers.toSorted((a, b) => a.id - b.id).map((answer) => resultOf(answer, method))
}
