import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { eventually, post, rpc } from '../support/assay.ts'
import { labelsOf, selectorsOf, type ScrapedLabels } from '../support/promql.ts'

const up = inject('up')
const deploy = path.resolve(import.meta.dirname, '..', '..', 'deploy')
const read = (...parts: readonly string[]) => fs.readFileSync(path.join(deploy, ...parts), 'utf8')

let scraped: ScrapedLabels

/** Labels that Prometheus itself adds to what it scrapes. */
const OWN_LABELS = ['job', 'instance']

async function submit(tag: string, verify = up.token): Promise<string | undefined> {
  const params = { temperature: 0, top_p: 1, max_tokens: 4 }
  const job = { tag, prompt: 'What is AI?', model: 'tiny.gguf', params }
  const body = { from: up.project, tag: '', user: 'user', job, verify }
  const answer = await post(`${up.dispatcher}/api/job/submit`, body)
  return answer.body.code === 200 ? (answer.body.result as string) : undefined
}

beforeAll(async () => {
  const types = ['worker' in up.metrics ? 'tee' : 'opml', 'opml']
  const jobs = await Promise.all(types.map((type) => submit(type)))
  expect(await submit('opml', 'wrong')).toBeUndefined()
  const [first] = up.accounts
  if (first === undefined) throw new Error('no account')
  const wallet = createWalletClient({
    account: privateKeyToAccount(first.privateKey),
    transport: http(up.ethereum),
  })
  const hash = await wallet.sendTransaction({ to: first.address, value: 1n, chain: null })
  await eventually(async () => (await rpc(up.rpc, 'eth_getTransactionReceipt', [hash])).result)
  expect((await rpc(up.rpc, 'eth_nonsense')).error?.code).toBe(-32601)
  for (const id of jobs)
    await eventually(async () => {
      const answer = await post(`${up.dispatcher}/api/job/result`, { job_id: id })
      return (answer.body.result as unknown[]).length > 0 ? true : undefined
    }, 60)
  const scrapes = await Promise.all(
    Object.values(up.metrics).map(async (url) => (await fetch(`${url}/metrics`)).text()),
  )
  scraped = labelsOf(['up 1', ...scrapes])
})

type Rule = { readonly alert: string; readonly expr: string; readonly annotations: unknown }
type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }

const rules = (
  parse(read('prometheus', 'alerts.yml')) as { groups: { rules: readonly Rule[] }[] }
).groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('grafana', 'assay.json')) as {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
}
const queries: readonly (readonly [string, string])[] = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  ),
  ...dashboard.annotations.list.map(({ expr }) => ['restarts', expr] as const),
]

test.each(queries)('%s: all metrics and labels of %s are there', (_where, query) => {
  const selectors = selectorsOf(query)
  expect(selectors.length).toBeGreaterThan(0)
  for (const { metric, labels } of selectors) {
    expect([...scraped.keys()]).toContain(metric)
    for (const label of labels)
      expect([...(scraped.get(metric) ?? []), ...OWN_LABELS]).toContain(label)
  }
  const count = (sign: string) => query.split(sign).length
  for (const [open, close] of ['()', '[]', '{}'] as const)
    expect(count(open ?? '')).toBe(count(close ?? ''))
})

test('every program serves its metrics, and the dashboard shows each of them', () => {
  expect(Object.keys(up.metrics)).toEqual(expect.arrayContaining(['node', 'dispatcher', 'opml']))
  const shown = new Set(queries.flatMap(([, query]) => selectorsOf(query)).map((s) => s.metric))
  const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '')
  const missing = [...scraped.keys()]
    .map(base)
    .filter((name) => ![...shown].some((each) => base(each) === name))
  expect(missing).toEqual([])
})

test('metrics tell nothing of anybody: no account, job, token or model', async () => {
  for (const url of Object.values(up.metrics)) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const secret of [up.token, up.project, up.rpcToken, up.accounts[0]?.address ?? ''])
      expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
    expect(text).not.toMatch(/[0-9a-f]{40}/i)
    expect(text).not.toContain('tiny.gguf')
  }
})

test('the health check tells a node that answers from one that does not', () => {
  const script = path.join(deploy, 'docker', 'healthcheck.mjs')
  const check = (url: string) =>
    spawnSync(process.execPath, [script], { env: { ...process.env, ASSAY_HEALTH_URL: url } }).status
  expect(check(up.rpc)).toBe(0)
  expect(check('http://127.0.0.1:1')).toBe(1)
  expect(check(`${up.dispatcher}/readyz`)).toBe(0)
  expect(check(`${up.dispatcher}/nothing`)).toBe(1)
})
