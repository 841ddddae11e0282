/** Findings of a verification, line by line. */

/** `unchecked`: neither proven nor refuted here. */
export type Status = 'holds' | 'fails' | 'unchecked'

/** One check. `about` is 'bundle' or 'answer 1', 'answer 2' and so on. */
export type Line = { readonly about: string; readonly status: Status; readonly text: string }

/** How far an answer itself can be trusted, beyond its signature. */
export type Level = 'hardware' | 're-executed' | 'software' | 'signed only'

export type Report = {
  readonly lines: readonly Line[]
  /** By answer, in the bundle's order; an answer with a failed line has none. */
  readonly levels: readonly (Level | undefined)[]
  /** No line fails. */
  readonly holds: boolean
}

/** Collects the lines about one subject. */
export type Findings = {
  readonly lines: readonly Line[]
  /** The line `text` when it holds, else a failed one with the reason. Returns whether it holds. */
  check(holds: boolean, text: string, reason: string): boolean
  unchecked(text: string): void
}

/** Empty findings about one subject. */
export function createFindings(about: string): Findings {
  const lines: Line[] = []
  return {
    lines,
    check(holds, text, reason) {
      lines.push({ about, status: holds ? 'holds' : 'fails', text: holds ? text : reason })
      return holds
    },
    unchecked(text) {
      lines.push({ about, status: 'unchecked', text })
    },
  }
}
