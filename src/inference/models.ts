/** The folder of model files that jobs can use (D41). */
import { createHash } from 'node:crypto'
import fs, { type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { codeOf } from '../base/errors.ts'
import { toHex, type Hex } from '../base/hex.ts'
import { InferenceError } from './errors.ts'
import { readGgufHeader, type GgufHeader } from './gguf.ts'
import { GgufError } from './ggufCursor.ts'
import { isModelFileName, readModelNames } from './modelNames.ts'

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
  /**
   * Names of the files that end in .gguf and of the folder's table (modelNames.ts), sorted. Empty when the folder is missing.
   * A table that cannot be read has no names.
   */
  list(): Promise<readonly string[]>
  /**
   * The model of a name: a file of that name, or else the file that the folder's table has for it; no other text ever becomes part
   * of a path (D58). `report` is told the progress of hashing. Rejects with InferenceError: `unknown-model` or `unsupported-model`.
   */
  open(name: string, report?: ReportBytes): Promise<ModelFile>
  /** The same without hashing: undefined where the file is not there, or was not hashed since it changed. */
  known(name: string): Promise<ModelFile | undefined>
}

type Known = { readonly size: bigint; readonly mtime: bigint; readonly model: ModelFile }

/** Opens a folder. Hashes are cached until the size or modification time of a file changes. */
export function openModelFolder(folder: string): ModelFolder {
  const known = new Map<string, Known>()

  /** What is known of an open file, by its own name. */
  const lookUp = async (fileName: string, handle: FileHandle) => {
    const stat = await handle.stat({ bigint: true })
    const { size, mtimeNs: mtime } = stat
    const last = known.get(fileName)
    const model = last?.size === size && last.mtime === mtime ? last.model : undefined
    return { isFile: stat.isFile(), size, mtime, model }
  }

  return {
    async list() {
      const entries = await fs.readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return []
        throw error
      })
      const files = entries.filter((name) => isModelFileName(name) && name.endsWith('.gguf'))
      const names = await readModelNames(folder).catch(() => new Map<string, string>())
      const named = [...names].filter(([, file]) => files.includes(file)).map(([name]) => name)
      return [...new Set([...files, ...named])].sort()
    },
    async open(name, report) {
      const { fileName, handle } = await find(folder, name)
      if (handle === undefined)
        throw new InferenceError('unknown-model', `there is no model "${name}"`)
      try {
        const { isFile, size, mtime, model: last } = await lookUp(fileName, handle)
        if (!isFile) throw new InferenceError('unsupported-model', `model "${name}" is not a file`)
        if (last !== undefined) return named(last, name)
        const model = await readModel(fileName, folder, handle, Number(size), report)
        known.set(fileName, { size, mtime, model })
        return named(model, name)
      } finally {
        await handle.close()
      }
    },
    async known(name) {
      const { fileName, handle } = await find(folder, name)
      if (handle === undefined) return undefined
      try {
        const { model } = await lookUp(fileName, handle)
        return model && named(model, name)
      } finally {
        await handle.close()
      }
    },
  }
}

/** A model under the name that was asked for: the same object for its own. */
function named(model: ModelFile, name: string): ModelFile {
  return model.name === name ? model : { ...model, name }
}

/** The file that a name means, open if it is there. */
async function find(
  folder: string,
  name: string,
): Promise<{ readonly fileName: string; readonly handle: FileHandle | undefined }> {
  const own = isModelFileName(name) ? await openFile(path.join(folder, name)) : undefined
  if (own !== undefined) return { fileName: name, handle: own }
  const fileName = (await readModelNames(folder)).get(name)
  if (fileName === undefined) return { fileName: name, handle: undefined }
  return { fileName, handle: await openFile(path.join(folder, fileName)) }
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
  folder: string,
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
    return { name, path: path.join(folder, name), sha256: toHex(hash.digest()), header }
  } catch (error) {
    if (error instanceof GgufError)
      throw new InferenceError('unsupported-model', `model "${name}": ${error.message}`, {
        cause: error,
      })
    throw error
  }
}
