/** The types of a program's metrics: a table of definitions, and the counters made from it. */
import type { Timer } from './timings.ts'

/** Kind of a metric. */
export type MetricKind = 'counter' | 'gauge' | 'histogram'

/** One metric. Its labels take few values: never an address, a name that a client chose, or a secret. */
export type MetricDefinition = {
  readonly kind: MetricKind
  readonly help: string
  readonly labels: readonly string[]
  /** Of a histogram: upper bounds in seconds, ascending; the usual ones if absent. */
  readonly buckets?: readonly number[]
}

/** Metrics by their names. */
export type MetricTable = Readonly<Record<string, MetricDefinition>>

/** Defines a metric; its kind and labels are inferred. */
export function metric<K extends MetricKind, const L extends readonly string[]>(
  kind: K,
  labels: L,
  help: string,
  buckets?: readonly number[],
): MetricDefinition & { readonly kind: K; readonly labels: L } {
  return { kind, labels, help, ...(buckets && { buckets }) }
}

type Named<T extends MetricTable, K extends MetricKind> = {
  [N in keyof T]: T[N]['kind'] extends K ? N : never
}[keyof T] &
  string
type Labels<T extends MetricTable, N extends keyof T> = Readonly<
  Record<T[N]['labels'][number], string>
>

/** The text of a scrape, with its content type. */
export type Scrape = { readonly type: string; readonly text: string }

export type Metrics<T extends MetricTable> = {
  add<N extends Named<T, 'counter'>>(name: N, labels: Labels<T, N>, count?: number): void
  /** Sets a counter to a total that is counted elsewhere. */
  setTotal<N extends Named<T, 'counter'>>(name: N, labels: Labels<T, N>, total: number): void
  set<N extends Named<T, 'gauge'>>(name: N, labels: Labels<T, N>, value: number): void
  /** `seconds` is a duration, or of `count` durations the average. */
  observe<N extends Named<T, 'histogram'>>(
    name: N,
    labels: Labels<T, N>,
    seconds: number,
    count?: number,
  ): void
  /** Observes under these labels: to be kept by callers on a hot path. */
  timer<N extends Named<T, 'histogram'>>(name: N, labels: Labels<T, N>): Timer
  /** Calls back before each scrape, for values that are read only then. */
  onScrape(read: () => void): void
  /** `accept` is the header of the request: OpenMetrics is written for whoever prefers it. */
  scrape(accept?: string): Promise<Scrape>
}
