// Clients and operators of a dispatcher, for measurements: requests on kept connections, operators that hand every job back.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { WebSocket } from 'ws'
import { fromHex } from '../../dist/base/hex.js'
import { addressOfPrivateKey } from '../../dist/base/secp256k1.js'
import { beginLogin } from '../../dist/jobs/operator/login.js'

/** The value below which `part` of the values lie. */
export const percentile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]

/** "p50 1.2 ms, p99 3.4 ms". */
export const spread = (milliseconds) =>
  [0.5, 0.99]
    .map((part) => `p${part * 100} ${percentile(milliseconds, part).toFixed(1)} ms`)
    .join(', ')

/** A client of the job API at host:port. `request` resolves with the text of an answer and rejects on any but 200. */
export function jobClient(address, { project, token }, clients = 64) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
  const [host, port] = address.split(':')
  const sender = { from: project, verify: token }

  function request(method, url, body) {
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' }
      const sent = http.request({ agent, host, port, method, path: url, headers }, (response) => {
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${url} answers ${response.statusCode}: ${text}`))
        })
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }

  const job = (model) => ({ tag: 'opml', prompt: 'p'.repeat(500), model })
  return {
    request,
    submit: (model) => request('POST', '/api/job/submit', { ...sender, job: job(model) }),
    submitMany: (model, count) =>
      request('POST', '/api/job/batch', {
        ...sender,
        jobs: Array.from({ length: count }, () => ({ job: job(model) })),
      }),
    close: () => agent.destroy(),
  }
}

/** An operator that is logged in and serves one model. `onMessage(message, send)` has everything that comes afterwards. */
export async function connectOperator({ operatorAddress, dispatcherAddress }, model, onMessage) {
  const privateKey = randomBytes(32)
  const identity = {
    address: addressOfPrivateKey(privateKey),
    privateKey,
    dispatcher: fromHex(dispatcherAddress),
  }
  const socket = new WebSocket(`ws://${operatorAddress}/ws`)
  const send = (message) => socket.send(JSON.stringify(message))
  const welcome = deferred()
  socket.on('error', welcome.reject)
  socket.on('close', () => welcome.reject(new Error('the dispatcher closed the connection')))
  socket.on('message', (data) => {
    const message = JSON.parse(String(Buffer.from(data)))
    if (message.type === 'challenge') {
      const offer = { workers: ['opml'], models: [model], slots: 1 }
      send(beginLogin(message, identity, offer).hello)
    } else if (message.type === 'welcome') welcome.resolve()
    else onMessage(message, send)
  })
  await welcome.promise
  return {
    kill: () => socket.terminate(),
    async close() {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    },
  }
}

/** A promise, and what settles it. */
export function deferred() {
  const made = {}
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

/** Hands a job back for good, so that it ends. */
export const refuse = ({ jobId, lease }) => ({
  type: 'refused',
  jobId,
  lease,
  reason: 'bench',
  retry: false,
})

/** Milliseconds from a submission to its hand-out, `count` times, each after the one before is over. */
export async function handOutTimes(client, addresses, model, count) {
  let arrived
  let isOver
  const operator = await connectOperator(addresses, model, (message, send) => {
    if (message.type === 'dispatch') {
      arrived(performance.now())
      send(refuse(message))
    } else isOver()
  })
  const times = []
  for (let i = 0; i < count; i++) {
    const over = new Promise((resolve) => (isOver = resolve))
    const handedOut = new Promise((resolve) => (arrived = resolve))
    const began = performance.now()
    await client.submit(model)
    times.push((await handedOut) - began)
    await over
  }
  await operator.close()
  return times
}
