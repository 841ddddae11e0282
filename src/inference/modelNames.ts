/** The table of a models folder: names for its files, whatever a name looks like (D58, D143). */
import fs from 'node:fs/promises'
import path from 'node:path'
import { codeOf } from '../base/errors.ts'
import { isModelName } from '../base/modelName.ts'
import { InferenceError } from './errors.ts'

/** One JSON object: names, and the files of the folder that they mean. */
export const MODEL_NAMES_FILE = 'names.json'

/** Names of model files; "." and ".." are excluded, and so is everything that leads out of a folder. */
const FILE = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/
const MAX_NAMES = 1024
/** As many names and files of the maximum length, escaped. */
const MAX_BYTES = 4 * 1024 * 1024

/** Whether a text is the name of a model file in its folder. */
export function isModelFileName(name: string): boolean {
  return FILE.test(name)
}

/** Names and their files. Empty without a table. Rejects with InferenceError `unsupported-model` where it cannot be read. */
export async function readModelNames(folder: string): Promise<ReadonlyMap<string, string>> {
  const file = path.join(folder, MODEL_NAMES_FILE)
  let text: string
  try {
    if ((await fs.stat(file)).size > MAX_BYTES) throw unreadable('it is too large')
    text = await fs.readFile(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return new Map()
    throw error
  }
  const table = parseJson(text)
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw unreadable('it is no JSON object')
  const names = new Map<string, string>()
  for (const [name, target] of Object.entries(table)) {
    if (!isModelName(name)) throw unreadable('a name has control characters, a pin or no length')
    if (typeof target !== 'string' || !isModelFileName(target))
      throw unreadable('a name is not for a file of the folder')
    names.set(name, target)
  }
  if (names.size > MAX_NAMES) throw unreadable(`it has more than ${MAX_NAMES} names`)
  return names
}

/** Gives a file of the folder one more name, or an old name to another file. Throws as `readModelNames` does, and RangeError. */
export async function addModelName(folder: string, name: string, file: string): Promise<void> {
  if (!isModelName(name) || !isModelFileName(file))
    throw new RangeError(`"${name}" cannot be a name of the file "${file}"`)
  await write(folder, new Map(await readModelNames(folder)).set(name, file))
}

/** Removes a name; resolves with whether there was one. Rejects as `readModelNames` does. */
export async function removeModelName(folder: string, name: string): Promise<boolean> {
  const names = new Map(await readModelNames(folder))
  const isThere = names.delete(name)
  if (isThere) await write(folder, names)
  return isThere
}

/** Replaces the table as a whole: operators never see a part of it. */
async function write(folder: string, names: ReadonlyMap<string, string>): Promise<void> {
  if (names.size > MAX_NAMES) throw new RangeError(`a folder has at most ${MAX_NAMES} names`)
  const file = path.join(folder, MODEL_NAMES_FILE)
  const partial = `${file}.${process.pid}.partial`
  const text = `${JSON.stringify(Object.fromEntries(names), undefined, 2)}\n`
  await fs.writeFile(partial, text, { mode: 0o600 })
  await fs.rename(partial, file)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whoever submitted a job may read this: it has no path of this machine. */
function unreadable(why: string): InferenceError {
  return new InferenceError(
    'unsupported-model',
    `${MODEL_NAMES_FILE} in the models folder is not a table of names, such as {"llama3:8b": "file.gguf"}: ${why}`,
  )
}
