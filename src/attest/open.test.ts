import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasNitro } from './nitro.ts'
import { openAttester } from './open.ts'
import { hasTsm } from './tsm.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-open-'))
const measured = [join(folder, 'program')]
writeFileSync(join(folder, 'program'), 'program')
const isBare = !hasNitro() && !hasTsm()

test.skipIf(!isBare)('a machine without a TEE attests by software, and says so', () => {
  expect(openAttester({ kind: 'auto', folder, measured }).level).toBe('software-insecure')
})

test.skipIf(!isBare).each(['nitro', 'tdx', 'snp'] as const)(
  'evidence of %s is not replaced by software when it is asked for',
  (kind) => {
    expect(() => openAttester({ kind, folder, measured })).toThrow(
      /no Nitro|provides no platform reports/,
    )
  },
)
