/** The tables of gas in docs/disputes.md. `--update` writes them. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { measureGas } from '../../../test/support/steps/gas.ts'
import { openSteps } from '../../../test/support/steps/rig.ts'

const file = path.resolve(import.meta.dirname, '..', '..', '..', 'docs', 'disputes.md')
const tables = measureGas(openSteps())

/** The page with another text between two marks. */
function fill(page: string, mark: string, text: string): string {
  const [before = '', rest = ''] = page.split(`<!-- ${mark} -->`)
  const after = rest.split(`<!-- /${mark} -->`)[1] ?? ''
  return `${before}<!-- ${mark} -->\n\n${text}\n\n<!-- /${mark} -->${after}`
}

test('the page of disputes has the gas of each step', async () => {
  const page = fs.readFileSync(file, 'utf8')
  const filled = fill(fill(page, 'operations', tables.operations), 'models', tables.models)
  await expect(filled).toMatchFileSnapshot(file)
})

// Holds D162.
test('no step is above 350,000 gas', () => {
  expect(tables.largest).toBeLessThan(350_000n)
})
