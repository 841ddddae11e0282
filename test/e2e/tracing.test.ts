// Holds D112.
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually, newHome, rpc, startAssay, type Running } from '../support/assay.ts'
import { openCollector } from '../support/otlpCollector.ts'

let collector: Awaited<ReturnType<typeof openCollector>>
let running: Running
beforeAll(async () => {
  collector = await openCollector()
  running = await startAssay(newHome(), [`--otel.endpoint=${collector.endpoint}`])
})
afterAll(async () => {
  await running.stop()
  collector.close()
  fs.rmSync(path.dirname(running.home), { recursive: true, force: true })
})

const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const headers = {
  'content-type': 'application/json',
  traceparent: `00-${CLIENT.traceId}-${CLIENT.spanId}-01`,
}
const PROMPT = 'a prompt that belongs to nobody else'

/** Resolves with the spans of a trace by name, once all of these are there. */
async function spansOf(traceId: string, names: readonly string[]) {
  return eventually(async () => {
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    const found = new Map(spans.map((span) => [span.name, span]))
    return names.every((name) => found.has(name)) ? found : undefined
  }, 60)
}

async function submit(tag: string): Promise<string> {
  const job = { tag, prompt: PROMPT, model: 'tiny.gguf', params: { max_tokens: 4 } }
  const { project: from, token: verify, dispatcher } = running.up
  const response = await fetch(`${dispatcher}/api/job/submit`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ from, verify, job }),
  })
  const { result } = (await response.json()) as { result: string }
  return result
}

test('a call and a submission are spans of the trace that the client named', async () => {
  await fetch(running.up.rpc, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  await submit('opml')
  const spans = await spansOf(CLIENT.traceId, ['eth_chainId', 'POST /api/job/submit'])
  for (const span of spans.values()) expect(span.parentSpanId).toBe(CLIENT.spanId)
})

test('the whole way of a job is one trace over all programs, linked to the client', async () => {
  const isTee =
    'tee' in running.up.metrics || fs.existsSync(path.join(running.home, 'logs', 'tee.log'))
  const id = await submit(isTee ? 'tee' : 'opml')
  const [traceId, root] = [id.slice(0, 32), id.slice(32, 48)]
  const names = [
    'job',
    'job.handout',
    'job.execute',
    'job.result',
    ...(isTee ? ['worker.answer'] : []),
  ]
  const spans = await spansOf(traceId, names)
  expect(spans.get('job')).toMatchObject({ spanId: root, links: [CLIENT] })
  for (const name of names.slice(1)) expect(spans.get(name)?.parentSpanId, name).toBe(root)
})

test('blocks are traced by their hashes, and no prompt, token or address leaves with a trace', async () => {
  const { result } = await rpc(running.up.rpc, 'eth_getBlockByNumber', ['latest', false])
  const { hash } = result as { hash: string }
  const spans = await spansOf(hash.slice(2, 34), ['block', 'block.commit'])
  expect(spans.get('block.commit')?.parentSpanId).toBe(spans.get('block')?.spanId)
  const sent = collector.requests.map(({ body }) => body).join('\n')
  expect(sent).not.toContain(PROMPT)
  expect(sent).not.toContain(running.up.token)
  expect(sent).not.toContain(running.up.accounts[0]?.address.toLowerCase())
})
