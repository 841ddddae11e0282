/**
 * The figures of a campaign, for docs/reliability.md: one file per campaign in the folder that ASSAY_RELIABILITY names;
 * none without it.
 */
import fs from 'node:fs'
import path from 'node:path'

/** Figures by name. */
export type Figures = Readonly<Record<string, number | string>>

/** Keeps the figures of a campaign. */
export function recordCampaign(name: string, figures: Figures): void {
  const folder = process.env['ASSAY_RELIABILITY']
  if (folder === undefined) return
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`)
}
