/** One attack: colluders change values and fit the rest; the verdict must change, or list what they changed as unchecked. */
import { nodeContext } from '../../../src/jobs/bundleContext.ts'
import { bundle as bundleSchema } from '../../../src/proof/bundle/format.ts'
import type { Report } from '../../../src/proof/bundle/report.ts'
import type { BundleTrust } from '../../../src/proof/bundle/trust.ts'
import { verifyBundle } from '../../../src/proof/bundle/verify.ts'
import type { Kind } from './kinds.ts'
import { seal, type Change } from './seal.ts'
import { alternatives, leavesOf, schemaAt, setAt, valueAt, type Path } from './shape.ts'

/** What became of an attack. `unnoticed` is a defect of the verifier. */
export type Outcome = 'failed' | 'fact lost' | 'listed as unchecked' | 'unnoticed'

/** All single changes of a bundle: every leaf, with every alternative that its schema suggests. */
export function singleChanges({ bundle }: Kind): readonly Change[] {
  return leavesOf(bundle).flatMap(([path, value]) =>
    alternatives(schemaAt(bundleSchema, path).schema, value).map((other): Change => [path, other]),
  )
}

/** The bundle after the attack; as far as they got, where a changed value does not allow the rest. */
async function forged(
  kind: Kind,
  changes: readonly Change[],
  trust: BundleTrust,
): Promise<unknown> {
  const hasOwnChain = trust.validatorsHash === undefined && trust.headerHashes === undefined
  try {
    return await seal(kind.bundle, changes, { ...kind.colluders, hasOwnChain })
  } catch {
    const copy: unknown = structuredClone(kind.bundle)
    for (const [path, value] of changes) setAt(copy, path, value)
    return copy
  }
}

/** Whether a report lists the value at a path as unchecked. */
function isListed({ lines }: Report, path: Path): boolean {
  const [list, index, ...rest] = path
  const about = list === 'answers' ? `answer ${Number(index) + 1}` : 'bundle'
  const name = (list === 'answers' ? rest : path).join('.')
  return lines.some(
    (line) =>
      line.about === about &&
      line.status === 'unchecked' &&
      (line.fields ?? []).some((field) => name === field || name.startsWith(`${field}.`)),
  )
}

/** Judges a forged bundle by the report on the honest one. */
function outcomeOf(honest: Report, report: Report, changed: readonly Path[]): Outcome {
  if (!report.holds) return 'failed'
  const isLost = honest.facts.some((facts, at) =>
    facts.some((fact) => report.facts[at]?.includes(fact) !== true),
  )
  if (isLost) return 'fact lost'
  return changed.every((path) => isListed(report, path)) ? 'listed as unchecked' : 'unnoticed'
}

/** Attacks on one verifier of a kind of bundle. */
export type Victim = {
  readonly kind: Kind
  readonly trust: BundleTrust
  /** The report on the honest bundle. */
  readonly honest: Report
}

/** A verifier that has seen the honest bundle. */
export async function victimOf(kind: Kind, trust: BundleTrust): Promise<Victim> {
  const honest = await verifyBundle(kind.bundle, trust, nodeContext)
  if (!honest.holds) throw new Error(`the honest bundle fails: ${JSON.stringify(honest.lines)}`)
  return { kind, trust, honest }
}

/** Makes one attack. */
export async function attack(
  { kind, trust, honest }: Victim,
  changes: readonly Change[],
): Promise<Outcome> {
  const json = await forged(kind, changes, trust)
  const paths = changes
    .map(([path]) => path)
    .filter((path) => valueAt(json, path) !== valueAt(kind.bundle, path))
  return outcomeOf(honest, await verifyBundle(json, trust, nodeContext), paths)
}
