/** One folder for what tests make below the system's temporary folder, removed with everything in it after the last of them. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const PREFIX = 'assay-tests-'

/** Projects that run together share the folder of the first. */
export function setup(): (() => void) | undefined {
  const before = os.tmpdir()
  if (path.basename(before).startsWith(PREFIX)) return undefined
  const folder = fs.mkdtempSync(path.join(before, PREFIX))
  process.env['TMPDIR'] = folder
  return () => {
    process.env['TMPDIR'] = before
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
