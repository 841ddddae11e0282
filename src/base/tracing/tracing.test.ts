// Holds D112.
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { openCollector } from '../../../test/support/otlpCollector.ts'
import { waitFor } from '../../../test/support/waitFor.ts'
import { formatTraceparent, parseTraceparent } from './context.ts'
import { createExporter } from './exporter.ts'
import { openTracer } from './settings.ts'
import type { FinishedSpan } from './span.ts'
import { createTracer, isRecorded } from './tracer.ts'

const log = pino({ level: 'silent' })
const closers: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const startCollector = async (...statuses: number[]) => {
  const collector = await openCollector(...statuses)
  closers.push(collector.close)
  return collector
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('traceparent is read as the specification has it, and anything else is as if it were absent', () => {
  const text = `00-${TRACE}-${PARENT}-01`
  expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: PARENT, isSampled: true })
  expect(parseTraceparent(`cc-${TRACE}-${PARENT}-00-more`)?.isSampled).toBe(false)
  for (const bad of [
    undefined,
    '',
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `${text}${' '.repeat(300)}`,
  ])
    expect(parseTraceparent(bad), bad).toBeUndefined()
  const context = { traceId: TRACE, spanId: PARENT, isSampled: false }
  expect(parseTraceparent(formatTraceparent(context))).toEqual(context)
})

test('spans reach the collector in its own form, with their parents, links and errors', async () => {
  const { endpoint, spans, requests } = await startCollector()
  const environment = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, x-team = chain' }
  const tracer = openTracer('test', { endpoint, ratio: 1 }, environment, log)
  if (tracer === undefined) throw new Error('there is no tracer')
  const parent = { traceId: TRACE, spanId: PARENT, isSampled: true }
  const first = tracer.record('first', {
    kind: 'server',
    milliseconds: 12.5,
    parent,
    isError: true,
  })
  tracer.record('second', {
    kind: 'internal',
    milliseconds: 0,
    links: [first],
    attributes: { text: 'x'.repeat(1000), count: 7, share: 0.5, isIt: true },
  })
  await tracer.close()
  expect(tracer.counts()).toEqual({ exported: 2, dropped: 0 })
  const [one, two] = spans
  expect(one).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2, status: { code: 2 } })
  expect(BigInt(one?.endTimeUnixNano ?? 0) - BigInt(one?.startTimeUnixNano ?? 0)).toBe(12_500_000n)
  expect(two?.parentSpanId).toBeUndefined()
  expect(two?.links).toEqual([{ traceId: TRACE, spanId: one?.spanId }])
  expect(two?.attributes).toEqual([
    { key: 'text', value: { stringValue: 'x'.repeat(256) } },
    { key: 'count', value: { intValue: '7' } },
    { key: 'share', value: { doubleValue: 0.5 } },
    { key: 'isIt', value: { boolValue: true } },
  ])
  expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer x', 'x-team': 'chain' })
})

test('every program decides the same about a trace, and nobody outside can raise the share', async () => {
  const { endpoint, spans } = await startCollector()
  const tracer = createTracer({ endpoint, program: 'test', ratio: 0.25, log })
  let recorded = 0
  for (let i = 0; i < 4000; i++) {
    const traceId =
      (i + 1).toString(16).padStart(19, '0') +
      Math.floor((i * 2 ** 52) / 4000)
        .toString(16)
        .padStart(13, '0')
    if (isRecorded(traceId, 0.25)) recorded++
    const context = tracer.record('call', {
      kind: 'server',
      milliseconds: 0,
      parent: { traceId, spanId: PARENT, isSampled: true },
    })
    expect(context.isSampled).toBe(isRecorded(traceId, 0.25))
  }
  expect(recorded).toBe(1000)
  const parent = { traceId: '1'.padStart(32, '0'), spanId: PARENT, isSampled: false }
  expect(tracer.record('call', { kind: 'server', milliseconds: 0, parent }).isSampled).toBe(false)
  await tracer.close()
  expect(spans).toHaveLength(1000)
})

const SPAN: FinishedSpan = {
  traceId: TRACE,
  spanId: PARENT,
  parentSpanId: undefined,
  name: 'x',
  kind: 'internal',
  startNs: 1_700_000_000_000_000_000n,
  endNs: 1_700_000_000_000_000_001n,
  attributes: {},
  links: [],
  isError: false,
}

test('a collector that is away loses nothing up to a limit, what is beyond is counted, and refusals are not repeated', async () => {
  const failures: string[] = []
  const options = {
    headers: {},
    resource: {},
    queueLimit: 10,
    batchLimit: 4,
    intervalMs: 1,
    onFailure: (reason: string) => void failures.push(reason),
  }
  const collector = await startCollector(503, 503)
  const patient = createExporter({ ...options, endpoint: collector.endpoint })
  for (let i = 0; i < 12; i++) patient.add(SPAN)
  await waitFor(() => expect(patient.counts()).toEqual({ exported: 10, dropped: 2 }))
  expect(collector.spans).toHaveLength(10)
  expect(failures).toEqual(['status 503'])
  await patient.close()

  const refusing = await startCollector(400)
  const refused = createExporter({ ...options, endpoint: refusing.endpoint })
  for (let i = 0; i < 6; i++) refused.add(SPAN)
  await waitFor(() => expect(refused.counts()).toEqual({ exported: 2, dropped: 4 }))
  await refused.close()

  const nobody = createExporter({ ...options, endpoint: 'http://127.0.0.1:1', intervalMs: 60_000 })
  nobody.add(SPAN)
  await nobody.close()
  expect(nobody.counts()).toEqual({ exported: 0, dropped: 1 })
})

test('without a collector there is no tracer, and what is no URL is refused without being repeated', () => {
  const off = { endpoint: '', ratio: 1 }
  expect(openTracer('test', off, {}, log)).toBeUndefined()
  const endpoint = 'http://127.0.0.1:4318'
  expect(openTracer('test', off, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, log)).toBeDefined()
  const disabled = { OTEL_SDK_DISABLED: 'true' }
  expect(openTracer('test', { endpoint, ratio: 1 }, disabled, log)).toBeUndefined()
  const wrong = () => openTracer('test', { endpoint: 'secret@host', ratio: 1 }, {}, log)
  expect(wrong).toThrow('has no http URL')
  expect(wrong).not.toThrow('secret')
})
