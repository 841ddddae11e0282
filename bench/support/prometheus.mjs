// Sums and counts in the text format of Prometheus.

/** What a server on a loopback port counts: values by name with labels, as the text has them. */
export async function scrape(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    samples.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

/** Adds up the samples of one name that have all of the labels, given as `['method="commit"']`. */
export function total(samples, name, labels = []) {
  let sum = 0
  for (const [key, value] of samples)
    if (key.split('{')[0] === name && labels.every((label) => key.includes(label))) sum += value
  return sum
}

/** How much a histogram grew from one scrape to the next: the sum of what was observed, and how often. */
export function growth(before, after, name, labels = []) {
  const of = (part) =>
    total(after, `${name}_${part}`, labels) - total(before, `${name}_${part}`, labels)
  return { sum: of('sum'), count: of('count') }
}
