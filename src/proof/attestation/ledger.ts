/** The log of a verification: every check that passed, in order, and the first that failed. */

/** A check failed. The message is the verdict's reason. */
export class AttestationRefused extends Error {
  override readonly name = 'AttestationRefused'
}

export type Ledger = {
  /** The checks that passed so far, one sentence each. */
  readonly lines: readonly string[]
  /** What was left unchecked, because the policy does not ask for it or the document does not carry it. */
  readonly open: readonly string[]
  /** Records what was left unchecked. */
  leave(line: string): void
  /** Records a passed check. */
  note(line: string): void
  /** Records `line` if the check passes. Throws AttestationRefused with `reason` if it fails. */
  require(holds: boolean, line: string, reason: string): void
}

/** Throws AttestationRefused with the reason unless it holds; for the many small parts of one check. */
export function refuseUnless(holds: boolean, reason: string): void {
  if (!holds) throw new AttestationRefused(reason)
}

/** An empty log. */
export function createLedger(): Ledger {
  const lines: string[] = []
  const open: string[] = []
  const note = (line: string) => {
    lines.push(line)
  }
  return {
    lines,
    open,
    leave(line) {
      open.push(line)
    },
    note,
    require(holds, line, reason) {
      refuseUnless(holds, reason)
      note(line)
    },
  }
}
