/** Test vectors of other projects: data that is read if it is present, and required when ASSAY_VECTORS_REQUIRED=1. */
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.resolve(process.env['ASSAY_VECTORS'] ?? '../shared/vectors')

/**
 * The files of a folder of vectors, and of those in it, whose names end in `extension`, sorted. Without the folder none, with a notice
 * and a test that is reported as skipped; an error when vectors are required.
 */
export function vectorFiles(
  folder: string,
  extension: string,
): readonly { readonly name: string; readonly content: Buffer }[] {
  const at = path.join(ROOT, folder)
  const names = fs.existsSync(at)
    ? fs
        .readdirSync(at, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith(extension))
        .sort()
    : []
  if (names.length === 0) {
    const notice = `no vectors in ${at} (set ASSAY_VECTORS)`
    if (process.env['ASSAY_VECTORS_REQUIRED'] === '1') throw new Error(notice)
    console.warn(`skipped: ${notice}`)
  }
  // A file whose tests are all made from vectors would have none without them, which vitest takes for a failure.
  test.skipIf(names.length === 0)(`there are vectors in ${folder}`, () => {
    expect(names).not.toHaveLength(0)
  })
  return names.map((name) => ({ name, content: fs.readFileSync(path.join(at, name)) }))
}
