/** Values under labels, in Prometheus' text format 0.0.4 (D69), which OpenMetrics shares but for names of counters. */

/** Names of labels with their values. */
export type LabelValues = Readonly<Record<string, string>>

/**
 * Maximum number of series of one metric. Labels take few values by design (docs/metrics.md); this holds if one does not
 * by mistake: what is beyond shares one series, whose labels are all "other".
 */
export const MAX_SERIES = 4096

const OTHER = 'other'

function escaped(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('"', String.raw`\"`)
}

/** Labels as they stand between braces; empty without any. */
function labelText(names: readonly string[], values: LabelValues): string {
  return names.map((name) => `${name}="${escaped(values[name] ?? '')}"`).join(',')
}

export type SeriesMap<T> = {
  /** The value under these labels, made at the first use. */
  of(labels: LabelValues): T
  /** Every value with its labels as text. */
  entries(): Iterable<readonly [string, T]>
}

/** An empty map of series with labels of these names. */
export function createSeries<T>(names: readonly string[], make: () => T): SeriesMap<T> {
  const byKey = new Map<string, { readonly labels: string; readonly value: T }>()

  function of(labels: LabelValues): T {
    let key = ''
    for (const name of names) key += `${labels[name]}\n`
    const found = byKey.get(key)
    if (found !== undefined) return found.value
    // One is kept for the rest.
    if (byKey.size >= MAX_SERIES - 1 && names.some((name) => labels[name] !== OTHER))
      return of(Object.fromEntries(names.map((name) => [name, OTHER])))
    const value = make()
    byKey.set(key, { labels: labelText(names, labels), value })
    return value
  }

  return {
    of,
    *entries() {
      for (const { labels, value } of byKey.values()) yield [labels, value]
    },
  }
}

/** A line of a scrape; `labels` as text. */
export function sampleLine(name: string, labels: string, value: number): string {
  const text = Number.isFinite(value) ? String(value) : infinite(value)
  return labels === '' ? `${name} ${text}` : `${name}{${labels}} ${text}`
}

function infinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}

/** The lines before a metric's samples. */
export function headLines(name: string, kind: string, help: string): readonly string[] {
  const text = help.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`)
  return [`# HELP ${name} ${text}`, `# TYPE ${name} ${kind}`]
}
