/** Dumps as files: compressed lines, mode 0600, since they hold what jobs asked and were answered. */
import fs from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { codeOf, messageOf, UserError } from '../../base/errors.ts'
import { syncFolder } from '../../base/files.ts'

async function* withFeeds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

/** Writes lines to a file that does not exist yet. It appears when all of it is on disk. Throws UserError. */
export async function writeDumpFile(file: string, lines: AsyncIterable<string>): Promise<void> {
  const partial = `${file}.partial`
  if (fs.existsSync(file))
    throw new UserError(`${file} already exists`, 'Choose another file name.')
  fs.rmSync(partial, { force: true })
  try {
    const output = fs.createWriteStream(partial, { mode: 0o600, flush: true })
    await pipeline(Readable.from(withFeeds(lines)), createGzip(), output)
    fs.renameSync(partial, file)
    syncFolder(path.dirname(file))
  } catch (error) {
    fs.rmSync(partial, { force: true })
    throw error
  }
}

/** The lines of a file. Throws UserError when it is missing, or its compression is damaged. */
export async function* readDumpFile(file: string): AsyncGenerator<string> {
  const input = fs.createReadStream(file)
  const unpacked = createGunzip()
  input.on('error', (error) => unpacked.destroy(error))
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const bytes of input.pipe(unpacked)) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new UserError(`${file} does not exist`)
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`, 'Restore an earlier dump.')
  }
}
