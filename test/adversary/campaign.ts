/** Sends attacks one by one and notes what each did to the process that took it. */
import type { Attack } from './attacks.ts'
import type { Meter } from './meter.ts'

/** No request may hold the event loop for longer. */
export const MAX_STRETCH_MS = 200
/** What is left of all of them together after a collection of garbage. */
export const MAX_GROWTH_BYTES = 100_000_000

/** Attacks between two looks at the meter, which take longer than most attacks. */
const GROUP = 12
/** A group beyond this is looked at one by one. */
const NOTABLE_MS = 50
/** A stretch by chance (another process, a collection) does not come back each time; one by the request does. */
const TRIES = 3

export type Finding = { readonly name: string; readonly stretchMs: number }

/** The stretch of each attack that is notable, and of each group of others: the shortest of some tries beyond the maximum. */
export async function run<Each extends Attack>(
  attacks: readonly Each[],
  meter: Meter,
  send: (body: string, attack: Each) => Promise<void>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const stretchOf = async (group: readonly Each[]): Promise<number> => {
    const bodies = group.map((attack) => [attack, attack.body()] as const)
    await meter.ready()
    for (const [attack, body] of bodies) await send(body, attack)
    return meter.stretchMs()
  }
  await meter.stretchMs()
  for (let at = 0; at < attacks.length; at += GROUP) {
    const group = attacks.slice(at, at + GROUP)
    const together = await stretchOf(group)
    if (together <= NOTABLE_MS) {
      findings.push({ name: `${group.length} like ${group[0]?.name}`, stretchMs: together })
      continue
    }
    for (const attack of group) {
      let stretchMs = Infinity
      for (let turn = 0; turn < TRIES && stretchMs > MAX_STRETCH_MS; turn++)
        stretchMs = Math.min(stretchMs, await stretchOf([attack]))
      findings.push({ name: attack.name, stretchMs })
    }
  }
  return findings
}

/** The worst ones, as a line each. */
export function worst(findings: readonly Finding[], count = 10): readonly string[] {
  return findings
    .toSorted((a, b) => b.stretchMs - a.stretchMs)
    .slice(0, count)
    .map(({ name, stretchMs }) => `${stretchMs.toFixed()} ms: ${name}`)
}
