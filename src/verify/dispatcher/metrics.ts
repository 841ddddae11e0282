/** What the dispatcher counts, for Prometheus. No metric tells one project, job, user or token from another. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

type Kind = 'counter' | 'gauge' | 'histogram'
type Definition = {
  readonly kind: Kind
  readonly help: string
  readonly labels: readonly string[]
}

const define = <K extends Kind, const L extends readonly string[]>(
  kind: K,
  labels: L,
  help: string,
): { readonly kind: K; readonly labels: L; readonly help: string } => ({ kind, labels, help })

/** Every metric by its name; docs/metrics.md is made from this table. */
export const METRICS = {
  assay_jobs_submitted_total: define('counter', [], 'Jobs that were acknowledged.'),
  assay_submissions_refused_total: define(
    'counter',
    ['error'],
    'Submissions that were refused, by the name of the error.',
  ),
  assay_handouts_total: define('counter', [], 'Jobs handed to operators.'),
  assay_results_total: define(
    'counter',
    ['outcome'],
    'What operators sent about jobs: recorded, refused (does not hold), late, repeated or failed.',
  ),
  assay_webhooks_total: define(
    'counter',
    ['outcome'],
    'Attempts to tell a project how a job ended: delivered or failed.',
  ),
  assay_receipts_anchored_total: define(
    'counter',
    [],
    'Receipts that this process found or put on the chain.',
  ),
  assay_operators_connected: define('gauge', [], 'Operators connected to this process.'),
  assay_jobs_unfinished: define(
    'gauge',
    ['state'],
    'Jobs in the database that are created or dispatched; the same at every replica.',
  ),
  assay_progress_streams: define('gauge', [], 'Clients that follow a job at this process.'),
  assay_http_request_seconds: define(
    'histogram',
    ['route', 'status'],
    'Time from the head of a request to the end of its answer.',
  ),
} as const satisfies Readonly<Record<string, Definition>>

type Name = keyof typeof METRICS
type Named<K extends Kind> = {
  [N in Name]: (typeof METRICS)[N]['kind'] extends K ? N : never
}[Name]
type Labels<N extends Name> = Readonly<Record<(typeof METRICS)[N]['labels'][number], string>>

export type Metrics = {
  add<N extends Named<'counter'>>(name: N, labels: Labels<N>, count?: number): void
  set<N extends Named<'gauge'>>(name: N, labels: Labels<N>, value: number): void
  /** `seconds` is a length of time. */
  observe<N extends Named<'histogram'>>(name: N, labels: Labels<N>, seconds: number): void
  /** The text of a scrape, with its content type. */
  scrape(): Promise<{ readonly type: string; readonly text: string }>
}

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Metrics of one dispatcher, all at zero. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  for (const [name, { kind, help, labels }] of Object.entries<Definition>(METRICS)) {
    const settings = { name, help, labelNames: [...labels], registers: [registry] }
    if (kind === 'counter') counters.set(name, new Counter(settings))
    else if (kind === 'gauge') gauges.set(name, new Gauge(settings))
    else histograms.set(name, new Histogram({ ...settings, buckets: BUCKETS }))
  }
  return {
    add: (name, labels, count = 1) => counters.get(name)?.inc(labels, count),
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, seconds) => histograms.get(name)?.observe(labels, seconds),
    scrape: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  }
}
