import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import type { MetricTable } from '../../src/base/metricTable.ts'
import { PROCESS_METRICS } from '../../src/base/processMetrics.ts'
import { DISPATCHER_METRICS } from '../../src/jobs/dispatcher/metrics.ts'
import { OPERATOR_METRICS } from '../../src/jobs/operator/metrics.ts'
import { WORKER_METRICS } from '../../src/jobs/worker/metrics.ts'
import { NODE_METRICS } from '../../src/node/metrics.ts'
import { DEPLOY, readDeploy } from '../support/deployFiles.ts'
import { selectorsOf } from '../support/promql.ts'
import { hasTool } from '../support/tools.ts'

type Alert = {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}
type Panel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }

const rules = (
  parse(readDeploy('prometheus', 'alerts.yml')) as { groups: { rules: readonly Alert[] }[] }
).groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(readDeploy('grafana', 'assay.json')) as {
  readonly panels: readonly (Panel & { readonly id: number; readonly gridPos: Place })[]
}
type Place = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }

const root = path.join(DEPLOY, '..')
const runbooks = fs.readFileSync(path.join(root, 'docs', 'runbooks.md'), 'utf8')
const parts = new Map(
  runbooks
    .split(/^## /m)
    .slice(1)
    .map((part) => [part.split('\n')[0] ?? '', part] as const),
)

const tables: MetricTable = {
  ...NODE_METRICS,
  ...DISPATCHER_METRICS,
  ...OPERATOR_METRICS,
  ...WORKER_METRICS,
  ...PROCESS_METRICS,
}
/** Labels that Prometheus itself adds, and those of histograms. */
const OWN_LABELS = ['job', 'instance', 'le']

const queries = [
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

test.each(queries)('%s: each metric of %s is in a table, with its labels', (_where, query) => {
  for (const { metric, labels } of selectorsOf(query)) {
    if (metric === 'up') continue
    const entry = tables[metric.replace(/_(?:bucket|sum|count)$/, '')] ?? tables[metric]
    expect(entry, metric).toBeDefined()
    for (const label of labels) expect([...(entry?.labels ?? []), ...OWN_LABELS]).toContain(label)
  }
})

test('the dashboard shows every metric, and no panel covers another', () => {
  const shown = new Set(
    queries.flatMap(([, query]) => selectorsOf(query)).map((each) => each.metric),
  )
  const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '')
  const bases = new Set([...shown].map(base))
  const annotated = new Set(['process_start_time_seconds'])
  expect(
    Object.keys(tables).filter((name) => !bases.has(base(name)) && !annotated.has(name)),
  ).toEqual([])
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  for (const { id, gridPos: a } of panels)
    for (const { id: other, gridPos: b } of panels) {
      const isApart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
      expect(id === other || isApart, `${id} covers ${other}`).toBe(true)
    }
})

test.each(rules)(
  '$alert has a severity, a sentence and a runbook',
  ({ alert, labels, annotations }) => {
    expect(['warning', 'critical']).toContain(labels.severity)
    expect(annotations.summary).toMatch(/[.]$/)
    expect(annotations.runbook_url).toBe(`docs/runbooks.md#${alert.toLowerCase()}`)
    const part = parts.get(alert) ?? ''
    for (const heading of ['**Means.**', '**Look.**', '**Do.**']) expect(part).toContain(heading)
  },
)

test('every runbook is that of an alert, and names only alerts that are there', () => {
  const names = rules.map(({ alert }) => alert)
  expect([...parts.keys()].toSorted()).toEqual(names.toSorted())
  for (const [name] of runbooks.matchAll(/\bAssay[A-Z]\w+/g)) expect(names).toContain(name)
})

test('the runbooks name settings that exist', () => {
  const config = fs.readFileSync(path.join(root, 'docs', 'config.md'), 'utf8')
  for (const [, key = ''] of runbooks.matchAll(
    /`((?:json-rpc|mempool|dispatcher|state-sync|p2p|consensus)\.[a-z_-]+)`/g,
  ))
    expect(config).toContain(`\`${key}\``)
})

test.runIf(hasTool('promtool'))('Prometheus takes the rules and the scrape configurations', () => {
  const folder = path.join(DEPLOY, 'prometheus')
  const check = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({
      status: 0,
      output: '',
    })
  }
  check('rules', 'alerts.yml')
  for (const file of ['prometheus.yml', 'network.yml']) check('config', file)
})
