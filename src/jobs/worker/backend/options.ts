/** Which server that speaks OpenAI's API computes the answers of a worker, and under which names. */
import fs from 'node:fs'
import { UserError } from '../../../base/errors.ts'

export type BackendOptions = {
  /** Where its paths begin, as clients are given it: "http://127.0.0.1:8000/v1". */
  readonly url: string
  /** File of its API key, which no other user may read; none is sent without. */
  readonly keyFile?: string
  /** The server's names of models by the names that jobs have; all of the server's under their own names if empty. */
  readonly models: ReadonlyMap<string, string>
}

const MAX_KEY = 1024

/** The key in a file. Throws UserError where others can read it, or it is none; the key is never repeated. */
export function readApiKey(file: string): string {
  if ((fs.statSync(file).mode & 0o077) !== 0)
    throw new UserError(`${file} can be read by other users`, `Run: chmod 600 ${file}`)
  const key = fs.readFileSync(file, 'utf8').trim()
  if (key.length > MAX_KEY || !/^[\x21-\x7e]+$/.test(key))
    throw new UserError(`${file} does not contain an API key`, 'Write the key alone into it.')
  return key
}

/** Reads "name=name of the server". Throws UserError. */
export function readBackendModel(text: string): readonly [string, string] {
  const [, name, remote] = /^([^=]{1,256})=(.{1,256})$/.exec(text) ?? []
  if (name === undefined || remote === undefined)
    throw new UserError(
      `--backend-model: "${text}" is not name=name`,
      'Write the name that jobs have, "=", and the name that the server has.',
    )
  return [name, remote]
}
