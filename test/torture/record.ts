/**
 * The figures of a campaign, for docs/reliability.md: one file per campaign in the folder that ASSAY_RELIABILITY names;
 * none without it.
 */
import fs from 'node:fs'
import path from 'node:path'

/** What a campaign measured. */
export type Figures = {
  /** What was done to the system, in words. */
  readonly fault: string
  /** How often. */
  readonly runs: number
  /** What had been shown to others or acknowledged, and was gone; absent where the campaign does not count it. */
  readonly lost?: number
  /** What was served or signed, and was never decided; absent where it is not counted. */
  readonly forged?: number
  /** Heights with two signatures of one validator; absent where they are not counted. */
  readonly doubleSigned?: number
  /** Seconds until the system served again, per run; empty where it never stopped. */
  readonly recovery: readonly number[]
  /** What else there is to say, in words. */
  readonly note: string
}

/** Keeps the figures of a campaign, which failed or not. */
export function recordCampaign(name: string, figures: Figures): void {
  const folder = process.env['ASSAY_RELIABILITY']
  if (folder === undefined) return
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(figures)}\n`)
}

/** The figures in a witness's faults: what was lost, what was another one, what was signed twice. */
export function countFaults(
  faults: readonly string[],
): Required<Pick<Figures, 'lost' | 'forged' | 'doubleSigned'>> {
  const count = (pattern: RegExp): number => faults.filter((fault) => pattern.test(fault)).length
  const doubleSigned = count(/^signature /)
  const forged = count(/^(?:block|receipt) .* became /)
  return { lost: faults.length - doubleSigned - forged, forged, doubleSigned }
}

/** Seconds since a moment of `performance.now()`. */
export const secondsSince = (start: number): number => (performance.now() - start) / 1000
