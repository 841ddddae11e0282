// Measuring in turns: A B A B, with all peers but one paused, and medians over the rounds.

/** The middle of numbers; NaN of none. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.length === 0 ? Number.NaN : sorted[sorted.length >> 1]
}

/** Runs `work`, which gives `{ count }` and more, and adds the server's processor microseconds per counted thing. */
export async function withCpu(peer, work) {
  const before = peer.cpuSeconds()
  const result = await work()
  const seconds = peer.cpuSeconds() - before
  return { ...result, cpuMicros: (seconds * 1e6) / result.count }
}

/** One value per peer: the medians of what `measure` gave for it, `{ value, cpuMicros, note }`. */
function summarise(samples) {
  const notes = samples.flatMap(({ note }) => (note === undefined ? [] : [note]))
  return {
    value: median(samples.map(({ value }) => value)),
    cpuMicros: median(samples.map(({ cpuMicros = Number.NaN }) => cpuMicros)),
    ...(notes.length > 0 && { note: notes.at(-1) }),
  }
}

/**
 * Measures running peers in turns. `measure(peer)` gives `{ value, cpuMicros?, note? }`. A peer that fails has the reason as
 * its note and no value, so that one bad row does not cost the others.
 */
export async function inTurns(peers, rounds, measure) {
  const samples = new Map(peers.map(({ name }) => [name, []]))
  for (const peer of peers) peer.pause()
  for (let round = 0; round < rounds; round++)
    for (const peer of peers) {
      peer.resume()
      samples.get(peer.name).push(await attempt(() => measure(peer)))
      peer.pause()
    }
  for (const peer of peers) peer.resume()
  return Object.fromEntries([...samples].map(([name, list]) => [name, summarise(list)]))
}

/** Like `inTurns` with a new server for every measurement: `starters` are functions by peer name. */
export async function inTurnsAnew(starters, rounds, measure) {
  const samples = new Map(Object.keys(starters).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, start] of Object.entries(starters))
      samples.get(name).push(
        await attempt(async () => {
          const peer = await start()
          try {
            return await measure(peer)
          } finally {
            await peer.stop()
          }
        }),
      )
  return samples
}

/** The row entries of one field of samples that hold several, such as `{ accepted: { value }, mined: { value } }`. */
export function summaryOf(samples, field) {
  return Object.fromEntries(
    [...samples].map(([name, list]) => [
      name,
      summarise(list.map((sample) => sample[field] ?? { value: Number.NaN, note: sample.note })),
    ]),
  )
}

async function attempt(measure) {
  try {
    return await measure()
  } catch (error) {
    return { value: Number.NaN, note: error.message.split('\n').slice(0, 3).join(' ') }
  }
}
