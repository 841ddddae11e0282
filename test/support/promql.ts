/** What of Prometheus our own tests need: samples of a scrape, and which metrics and labels a query names. */

/** Names of metrics with the names of labels that their samples have. */
export type ScrapedLabels = ReadonlyMap<string, ReadonlySet<string>>

/** Reads scrapes in Prometheus' text format. Metrics without a sample are there too, by their HELP line. */
export function labelsOf(scrapes: readonly string[]): ScrapedLabels {
  const found = new Map<string, Set<string>>()
  const of = (name: string): Set<string> => {
    const labels = found.get(name) ?? new Set()
    found.set(name, labels)
    return labels
  }
  for (const line of scrapes.flatMap((text) => text.split('\n'))) {
    const help = /^# HELP (\S+)/.exec(line)
    if (help?.[1] !== undefined) of(help[1])
    const sample = /^(\w+)(?:\{(.*)\})? [-+\d.eNaIinf]+$/.exec(line)
    if (sample?.[1] === undefined) continue
    const labels = of(sample[1])
    for (const [, label] of (sample[2] ?? '').matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g))
      if (label !== undefined) labels.add(label)
  }
  return found
}

/** A metric in a query, with the labels that select it and those that results are grouped by. */
export type Selector = { readonly metric: string; readonly labels: readonly string[] }

const METRIC = /\b((?:assay|process|nodejs)_\w+|up\b)(?:\{([^}]*)\})?/g

/** The metrics of a query. Every one is taken to be grouped by all labels that any aggregation of the query names. */
export function selectorsOf(query: string): readonly Selector[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) =>
    (list ?? '').split(',').map((label) => label.trim()),
  )
  return [...query.matchAll(METRIC)].map(([, metric = '', matchers = '']) => ({
    metric,
    labels: [
      ...grouped,
      ...[...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label ?? ''),
    ],
  }))
}
