/** The version that Go recorded in a binary of CometBFT (Go's debug/buildinfo), where that which it prints is wrong (D68). */
import fs from 'node:fs/promises'
import path from 'node:path'

const MARK = Buffer.from('mod\tgithub.com/cometbft/cometbft\tv')
/** Maximum length of a version. */
const MAX_VERSION = 40

/** The file of a program: a path, or the first of that name in the PATH. */
async function findProgram(binary: string): Promise<string | undefined> {
  if (binary.includes('/')) return binary
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    const file = path.join(folder, binary)
    if (await fs.access(file, fs.constants.X_OK).then(...BOOLEAN)) return file
  }
  return undefined
}

const BOOLEAN = [() => true, () => false] as const

/** Of a CometBFT that was built as a module of that version, like "0.40.0"; undefined if it does not say. */
export async function moduleVersion(binary: string): Promise<string | undefined> {
  const file = await findProgram(binary)
  const bytes = file === undefined ? undefined : await fs.readFile(file).catch(() => undefined)
  const at = bytes?.indexOf(MARK) ?? -1
  if (bytes === undefined || at < 0) return undefined
  const start = at + MARK.length
  return /^[\d.]+/.exec(bytes.toString('latin1', start, start + MAX_VERSION))?.[0]
}
