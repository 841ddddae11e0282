/** The account of a verification: every check that held, in order, and the first that did not. */

/** A check does not hold. The message is the reason that the verdict gives. */
export class AttestationRefused extends Error {
  override readonly name = 'AttestationRefused'
}

export type Ledger = {
  /** What held so far, one sentence per check. */
  readonly lines: readonly string[]
  /** Notes what held. */
  note(line: string): void
  /** Notes `line` when the check holds. Throws AttestationRefused with `reason` when it does not. */
  require(holds: boolean, line: string, reason: string): void
}

/** Throws AttestationRefused with the reason unless it holds; for the many small parts of one check. */
export function refuseUnless(holds: boolean, reason: string): void {
  if (!holds) throw new AttestationRefused(reason)
}

/** An empty account. */
export function createLedger(): Ledger {
  const lines: string[] = []
  const note = (line: string) => {
    lines.push(line)
  }
  return {
    lines,
    note,
    require(holds, line, reason) {
      refuseUnless(holds, reason)
      note(line)
    },
  }
}
