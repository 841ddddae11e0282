/** What the job commands share: which dispatcher to ask, and as whom. */
import fs from 'node:fs'
import type { Command } from 'commander'
import { z } from 'zod'
import { messageOf, UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { httpUrl } from '../../config/url.ts'
import { JOB_ID } from '../../proof/job/job.ts'
import { addHomeOption, readOption } from '../options.ts'
import { readUpFile } from '../upFile.ts'

const ANSWER_MS = 30_000

export type ClientFlags = { readonly home: string; readonly dispatcher?: string }

export type Client = {
  readonly url: string
  /** Project and token: of the environment, or of the running system of the home. */
  readonly project: string | undefined
  readonly token: string | undefined
  /** The `result` of a successful answer. Throws UserError with the dispatcher's own words otherwise. */
  get(path: string): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
}

/** Adds `--dispatcher` and `--home`. */
export function addClientOptions(command: Command): Command {
  return addHomeOption(command).option(
    '--dispatcher <url>',
    'address of the job API (default: that of the system that runs in the home)',
  )
}

const envelope = z.object({
  code: z.number(),
  result: z.unknown().optional(),
  message: z.string().exactOptional(),
})

/** A client by the flags. ASSAY_PROJECT and ASSAY_PROJECT_TOKEN say who it is. Throws UserError. */
export function openClient({ home, dispatcher }: ClientFlags): Client {
  const up = dispatcher === undefined ? readUpFile(homePaths(home).upFile) : undefined
  const url =
    dispatcher === undefined ? up?.dispatcher : readOption('--dispatcher', httpUrl, dispatcher)
  if (url === undefined)
    throw new UserError('no system runs in this home', 'Start assay up, or give --dispatcher URL.')
  const { ASSAY_PROJECT: project = up?.project, ASSAY_PROJECT_TOKEN: token = up?.token } =
    process.env
  const call = async (path: string, init: RequestInit): Promise<unknown> => {
    try {
      const response = await fetch(new URL(path, url), {
        ...init,
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      const answer = envelope.parse(await response.json())
      if (answer.code === 200) return answer.result
      throw new UserError(`the dispatcher answers ${answer.code}: ${answer.message ?? ''}`)
    } catch (error) {
      if (error instanceof UserError) throw error
      throw new UserError(`the dispatcher at ${url} does not answer: ${messageOf(error)}`)
    }
  }
  return {
    url,
    project,
    token,
    get: (path) => call(path, {}),
    post: (path, body) => call(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

/** Throws UserError unless a text is a job id. */
export function jobIdOf(text: string): string {
  if (JOB_ID.test(text)) return text
  throw new UserError(`"${text}" is not a job id`, 'Write its 64 hexadecimal digits.')
}

/** The bundle of a job id from the dispatcher, or of a file ("-" is standard input). Throws UserError. */
export async function readBundle(source: string, flags: ClientFlags): Promise<unknown> {
  if (JOB_ID.test(source)) return openClient(flags).get(`/api/job/receipt/${source}`)
  let text: string
  try {
    text = fs.readFileSync(source === '-' ? 0 : source, 'utf8')
  } catch (error) {
    throw new UserError(`${source} cannot be read: ${messageOf(error)}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new UserError(`${source} is not JSON`)
  }
}

/** The text of a file, or undefined without one. Throws UserError. */
export function readText(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  try {
    return fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`)
  }
}
