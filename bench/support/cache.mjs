// What takes long to make and never changes is kept in the folder for temporary files, under the fingerprint of what it was made from.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const folder = path.join(os.tmpdir(), `assay-bench-cache-${os.userInfo().username}`)

/** The lines made by `make` from `inputs` (anything JSON can hold), from the cache when they are there. */
export function cachedLines(name, inputs, make) {
  const print = createHash('sha256').update(JSON.stringify(inputs)).digest('hex').slice(0, 16)
  const file = path.join(folder, `${name}-${print}`)
  if (fs.existsSync(file)) return fs.readFileSync(file, 'utf8').split('\n')
  const lines = make()
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unfinished = `${file}.${process.pid}`
  fs.writeFileSync(unfinished, lines.join('\n'))
  fs.renameSync(unfinished, file)
  return lines
}
