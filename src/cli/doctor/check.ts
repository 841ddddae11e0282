/** A check of one thing that Assay needs. */

/** `wrong`: something will not work. `warning`: it works, but not as well as it should. `note`: for information. */
export type Verdict = 'ok' | 'note' | 'warning' | 'wrong'

export type Finding = {
  readonly what: string
  readonly verdict: Verdict
  readonly found: string
  /** What to do; empty if there is nothing to do. */
  readonly advice: string
}

/** A finding without advice. */
export function fine(what: string, found: string): Finding {
  return { what, verdict: 'ok', found, advice: '' }
}

/** A finding with what to do about it. */
export function finding(
  what: string,
  verdict: Exclude<Verdict, 'ok'>,
  found: string,
  advice = '',
): Finding {
  return { what, verdict, found, advice }
}
