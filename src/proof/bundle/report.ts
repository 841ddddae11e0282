/** Findings of a verification, line by line, and the facts that they establish (D66, D76). */

/** `unchecked`: neither proven nor refuted here. */
export type Status = 'holds' | 'fails' | 'unchecked'

/** One check. `about` is 'bundle' or 'answer 1', 'answer 2' and so on. */
export type Line = {
  readonly about: string
  readonly status: Status
  readonly text: string
  /** The claims that an unchecked line leaves open: paths in the bundle or answer; a path includes all below it. */
  readonly fields?: readonly string[]
}

/**
 * What can be known about an answer (D66). `signed`: a dispatcher that the verifier named vouches for it, and its operator
 * signed it. `anchored`: a chain that the verifier named holds its receipt, so its time is proven. `refereed`: a second
 * engine found it plausible. `re-executed`: the verifier's own execution equals everything that the statement claims.
 * `software`: an ordinary key attests to it, which proves nothing about a machine. `hardware`: a measured program on
 * hardware that the verifier named attests to it, at a proven time.
 */
export const FACTS = [
  'signed',
  'anchored',
  'refereed',
  're-executed',
  'software',
  'hardware',
] as const
export type Fact = (typeof FACTS)[number]

export type Report = {
  readonly lines: readonly Line[]
  /** By answer, in the bundle's order; none for an answer with a failed line, or in a bundle with one. */
  readonly facts: readonly (readonly Fact[])[]
  /** No line fails. */
  readonly holds: boolean
}

/** `unchecked`: nothing failed, but the facts that are needed are not established. */
export type Verdict = 'holds' | 'unchecked' | 'fails'

/** Facts that say something about an answer. An anchor alone tells its time, and software anybody can run. */
const TELLING: readonly Fact[] = ['signed', 're-executed', 'hardware']

/** The required facts that some answer lacks; without a requirement, `undefined` unless each answer has a telling one. */
export function verdictOf({ holds, facts }: Report, required: readonly Fact[] = []): Verdict {
  if (!holds) return 'fails'
  const suffices = (known: readonly Fact[]): boolean =>
    required.length > 0
      ? required.every((fact) => known.includes(fact))
      : TELLING.some((fact) => known.includes(fact))
  return facts.length > 0 && facts.every(suffices) ? 'holds' : 'unchecked'
}

/** Collects the lines, facts and proven claims about one subject. */
export type Findings = {
  readonly lines: readonly Line[]
  readonly facts: ReadonlySet<Fact>
  /** Paths of the claims that were proven from what the verifier trusts. */
  readonly proven: ReadonlySet<string>
  /** The line `text` when it holds, else a failed one with the reason. Returns whether it holds. */
  check(holds: boolean, text: string, reason: string): boolean
  unchecked(text: string, fields?: readonly string[]): void
  /** Notes that claims were proven, so that they are not listed as unchecked. */
  proves(...fields: readonly string[]): void
  establishes(fact: Fact): void
}

/** Empty findings about one subject. */
export function createFindings(about: string): Findings {
  const lines: Line[] = []
  const facts = new Set<Fact>()
  const proven = new Set<string>()
  return {
    lines,
    facts,
    proven,
    check(holds, text, reason) {
      lines.push({ about, status: holds ? 'holds' : 'fails', text: holds ? text : reason })
      return holds
    },
    unchecked(text, fields = []) {
      lines.push({ about, status: 'unchecked', text, ...(fields.length > 0 && { fields }) })
    },
    proves(...fields) {
      for (const field of fields) proven.add(field)
    },
    establishes(fact) {
      facts.add(fact)
    },
  }
}
