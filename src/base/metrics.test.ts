// Holds D69.
import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { createMetrics } from './metrics.ts'
import { metric } from './metricTable.ts'
import { MAX_SERIES } from './series.ts'
import { startMetricsServer } from './metricsServer.ts'

const TABLE = {
  test_things_total: metric('counter', ['kind'], 'Things.'),
  test_level: metric('gauge', [], 'A level.'),
  test_seconds: metric('histogram', ['what', 'code'], 'Times.'),
  test_plain_seconds: metric('histogram', [], 'Times without labels.'),
} as const

test('a scrape has every metric with its help and kind, and those of the process', async () => {
  const { text } = await createMetrics(TABLE).scrape()
  for (const [name, { kind, help }] of Object.entries(TABLE)) {
    expect(text).toContain(`# HELP ${name} ${help}`)
    expect(text).toContain(`# TYPE ${name} ${kind}`)
  }
  expect(text).toContain('process_cpu_seconds_total')
  expect(text).toContain('assay_event_loop_delay_seconds{quantile="0.99"}')
})

test('counters add up, totals that others count are taken over, and gauges hold the last value', async () => {
  const metrics = createMetrics(TABLE)
  metrics.add('test_things_total', { kind: 'a' })
  metrics.add('test_things_total', { kind: 'a' }, 2)
  for (const total of [5, 7, 7]) metrics.setTotal('test_things_total', { kind: 'b' }, total)
  let level = 0
  metrics.onScrape(() => metrics.set('test_level', {}, ++level))
  await metrics.scrape()
  const { text } = await metrics.scrape()
  expect(text).toContain('test_things_total{kind="a"} 3')
  expect(text).toContain('test_things_total{kind="b"} 7')
  expect(text).toContain('test_level 2')
})

test('a histogram counts into all buckets that are long enough', async () => {
  const metrics = createMetrics(TABLE)
  for (const seconds of [0.00005, 0.0002, 0.3, 60])
    metrics.observe('test_seconds', { what: 'a "quote"', code: '0' }, seconds)
  metrics.observe('test_plain_seconds', {}, 0.002)
  const { text } = await metrics.scrape()
  const labels = String.raw`what="a \"quote\"",code="0"`
  expect(text).toContain(`test_seconds_bucket{${labels},le="0.00005"} 1`)
  expect(text).toContain(`test_seconds_bucket{${labels},le="0.00025"} 2`)
  expect(text).toContain(`test_seconds_bucket{${labels},le="0.5"} 3`)
  expect(text).toContain(`test_seconds_bucket{${labels},le="10"} 3`)
  expect(text).toContain(`test_seconds_bucket{${labels},le="+Inf"} 4`)
  expect(text).toContain(`test_seconds_count{${labels}} 4`)
  expect(text).toContain('test_plain_seconds_bucket{le="0.0025"} 1')
  expect(text).toContain('test_plain_seconds_sum 0.002')
})

test('a counter never goes back, and what is not a number is written as Prometheus reads it', async () => {
  const metrics = createMetrics(TABLE)
  metrics.setTotal('test_things_total', { kind: 'a' }, 5)
  metrics.setTotal('test_things_total', { kind: 'a' }, 3)
  metrics.add('test_things_total', { kind: 'a' }, -2)
  for (const [value, text] of [
    [Infinity, '+Inf'],
    [-Infinity, '-Inf'],
    [NaN, 'NaN'],
    [1e21, '1e+21'],
  ] as const) {
    metrics.set('test_level', {}, value)
    expect((await metrics.scrape()).text).toContain(`test_level ${text}\n`)
  }
  expect((await metrics.scrape()).text).toContain('test_things_total{kind="a"} 5')
})

test('labels that take ever new values end in one series, whatever a stranger sends', async () => {
  const metrics = createMetrics(TABLE)
  for (let i = 0; i < 3 * MAX_SERIES; i++) {
    metrics.add('test_things_total', { kind: `stranger ${i}` })
    metrics.observe('test_seconds', { what: String(i), code: '0' }, 1)
  }
  const { text } = await metrics.scrape()
  const count = (pattern: RegExp) => text.match(pattern)?.length
  expect(count(/^test_things_total\{/gm)).toBe(MAX_SERIES)
  expect(count(/^test_seconds_count\{/gm)).toBe(MAX_SERIES)
  expect(text).toContain(`test_things_total{kind="other"} ${2 * MAX_SERIES + 1}`)
  expect(text).toContain(`test_seconds_count{what="other",code="other"} ${2 * MAX_SERIES + 1}`)
})

test('a table chooses its buckets, and several durations are observed at once', async () => {
  const metrics = createMetrics({ test_long_seconds: metric('histogram', [], 'Long.', [60, 600]) })
  metrics.observe('test_long_seconds', {}, 90, 4)
  const { text } = await metrics.scrape()
  expect(text).toContain(
    'test_long_seconds_bucket{le="60"} 0\ntest_long_seconds_bucket{le="600"} 4',
  )
  expect(text).toContain('test_long_seconds_sum 360')
})

test('every line of both formats is one that their grammars allow', async () => {
  const metrics = createMetrics(TABLE)
  metrics.add('test_things_total', { kind: 'line\nfeed \\ "quote"' })
  metrics.observe('test_seconds', { what: 'x', code: '' }, 1)
  const label = String.raw`[a-z_]+="(?:[^"\\\n]|\\["\\n])*"`
  const line = new RegExp(
    String.raw`^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{${label}(?:,${label})*\})? (?:[-+.e\d]+|[+-]Inf|NaN))$`,
  )
  for (const accept of ['', 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5']) {
    const { type, text } = await metrics.scrape(accept)
    const lines = text.trimEnd().split('\n')
    expect(text.endsWith('\n')).toBe(true)
    if (accept === '') expect(type).toBe('text/plain; version=0.0.4; charset=utf-8')
    else {
      expect(type).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
      expect(lines.pop()).toBe('# EOF')
      expect(lines).toContain('# TYPE test_things counter')
    }
    for (const each of lines) expect(each).toMatch(line)
  }
})

test('the server answers GET /metrics alone, and no page that reaches for it under another name', async () => {
  const server = await startMetricsServer({
    address: { host: '127.0.0.1', port: 0 },
    flag: '--metrics.address',
    scrape: createMetrics(TABLE).scrape,
    log: createLog('test', 'fatal'),
  })
  const url = `http://127.0.0.1:${server.address.port}`
  const answer = await fetch(`${url}/metrics`)
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(await answer.text()).toContain('test_level 0')
  expect((await fetch(url)).status).toBe(404)
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
  await server.close()
})
