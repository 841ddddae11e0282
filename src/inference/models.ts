/** The folder of model files that jobs can use (D41). */
import { createHash } from 'node:crypto'
import fs, { type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { codeOf } from '../base/errors.ts'
import { toHex, type Hex } from '../base/hex.ts'
import { InferenceError } from './errors.ts'
import { readGgufHeader, type GgufHeader } from './gguf.ts'
import { GgufError } from './ggufCursor.ts'

/** A model on disk. `sha256` is over the whole file. */
export type ModelFile = {
  readonly name: string
  readonly path: string
  readonly sha256: Hex
  readonly header: GgufHeader
}

/** Called with the progress of work on a file: bytes done, of the total. */
export type ReportBytes = (done: number, of: number) => void

export type ModelFolder = {
  /** Names of the files that end in .gguf, sorted. Empty when the folder is missing. */
  list(): Promise<readonly string[]>
  /**
   * The model of a name; `report` is told the progress of hashing. Rejects with InferenceError: `unknown-model` or
   * `unsupported-model`.
   */
  open(name: string, report?: ReportBytes): Promise<ModelFile>
}

/** Characters allowed in a name, as in a job; the names "." and ".." are excluded. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/

type Known = { readonly size: bigint; readonly mtime: bigint; readonly model: ModelFile }

/** Opens a folder. Hashes are cached until the size or modification time of a file changes. */
export function openModelFolder(folder: string): ModelFolder {
  const known = new Map<string, Known>()
  return {
    async list() {
      const entries = await fs.readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return []
        throw error
      })
      return entries.filter((name) => NAME.test(name) && name.endsWith('.gguf')).sort()
    },
    async open(name, report) {
      const file = path.join(folder, name)
      const handle = NAME.test(name) ? await openFile(file) : undefined
      if (handle === undefined)
        throw new InferenceError('unknown-model', `there is no model "${name}"`)
      try {
        const stat = await handle.stat({ bigint: true })
        if (!stat.isFile())
          throw new InferenceError('unsupported-model', `model "${name}" is not a file`)
        const { size, mtimeNs: mtime } = stat
        const last = known.get(name)
        if (last?.size === size && last.mtime === mtime) return last.model
        const model = await readModel(name, file, handle, Number(size), report)
        known.set(name, { size, mtime, model })
        return model
      } finally {
        await handle.close()
      }
    },
  }
}

async function openFile(file: string): Promise<FileHandle | undefined> {
  try {
    return await fs.open(file, 'r')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readModel(
  name: string,
  file: string,
  handle: FileHandle,
  size: number,
  report: ReportBytes = () => undefined,
): Promise<ModelFile> {
  try {
    const header = await readGgufHeader(handle)
    const hash = createHash('sha256')
    let done = 0
    for await (const chunk of handle.createReadStream({ start: 0, autoClose: false })) {
      hash.update(chunk as Buffer)
      done += (chunk as Buffer).length
      report(done, size)
    }
    return { name, path: file, sha256: toHex(hash.digest()), header }
  } catch (error) {
    if (error instanceof GgufError)
      throw new InferenceError('unsupported-model', `model "${name}": ${error.message}`, {
        cause: error,
      })
    throw error
  }
}
