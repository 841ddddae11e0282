/** What the job commands share: which dispatcher to use, and the credentials. */
import type { Command } from 'commander'
import { z } from 'zod'
import { messageOf, UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { httpUrl } from '../../config/url.ts'
import { JOB_ID } from '../../proof/job/job.ts'
import { addHomeOption, readOption } from '../options.ts'
import { plain } from '../plain.ts'
import { readUpFile } from '../upFile.ts'
import { readInput } from './inputText.ts'

const ANSWER_MS = 30_000

export type ClientFlags = { readonly home: string; readonly dispatcher?: string }

export type Client = {
  readonly url: string
  /** Project and token: from the environment, or from the home's running system. */
  readonly project: string | undefined
  readonly token: string | undefined
  /**
   * The `result` of a successful answer; its warnings go to standard error (D145). Throws UserError with the dispatcher's message
   * otherwise.
   */
  get(path: string): Promise<unknown>
  post(path: string, body: object): Promise<unknown>
  /** One page of a list, and where the next begins if there is one. */
  getPage(path: string): Promise<{ readonly result: unknown; readonly next: string | undefined }>
}

/** Adds `--dispatcher` and `--home`. */
export function addClientOptions(command: Command): Command {
  return addHomeOption(command).option(
    '--dispatcher <url>',
    'address of the job API (default: the system running in the home folder)',
  )
}

const envelope = z.object({
  code: z.number(),
  result: z.unknown().optional(),
  message: z.string().exactOptional(),
  next: z.string().exactOptional(),
  warnings: z.array(z.string()).exactOptional(),
})

/** A client as configured by the flags. ASSAY_PROJECT and ASSAY_PROJECT_TOKEN are its credentials. Throws UserError. */
export function openClient({ home, dispatcher }: ClientFlags): Client {
  const up = dispatcher === undefined ? readUpFile(homePaths(home).upFile) : undefined
  const url =
    dispatcher === undefined ? up?.dispatcher : readOption('--dispatcher', httpUrl, dispatcher)
  if (url === undefined)
    throw new UserError(
      'no system is running in this home folder',
      'Start assay up, or pass --dispatcher URL.',
    )
  const { ASSAY_PROJECT: project = up?.project, ASSAY_PROJECT_TOKEN: token = up?.token } =
    process.env
  const call = async (path: string, init: RequestInit): Promise<z.infer<typeof envelope>> => {
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
      if (answer.code === 200) {
        for (const warning of answer.warnings ?? [])
          process.stderr.write(`warning: ${plain(warning)}\n`)
        return answer
      }
      throw new UserError(`the dispatcher responded with ${answer.code}: ${answer.message ?? ''}`)
    } catch (error) {
      if (error instanceof UserError) throw error
      throw new UserError(`the dispatcher at ${url} does not respond: ${messageOf(error)}`)
    }
  }
  return {
    url,
    project,
    token,
    get: async (path) => (await call(path, {})).result,
    post: async (path, body) =>
      (await call(path, { method: 'POST', body: JSON.stringify(body) })).result,
    async getPage(path) {
      const { result, next } = await call(path, {})
      return { result, next }
    },
  }
}

/** Throws UserError unless a string is a job id. */
export function jobIdOf(text: string): string {
  if (JOB_ID.test(text)) return text
  throw new UserError(`"${text}" is not a job id`, 'A job id has 64 hexadecimal digits.')
}

/** The bundle of a job id from the dispatcher, or from a file ("-" is standard input). Throws UserError. */
export async function readBundle(source: string, flags: ClientFlags): Promise<unknown> {
  if (JOB_ID.test(source)) return openClient(flags).get(`/api/job/receipt/${source}`)
  const text = readInput(source)
  try {
    return JSON.parse(text)
  } catch {
    throw new UserError(`${source} is not JSON`)
  }
}

/** The contents of a file, "-" for standard input; undefined without one. Throws UserError. */
export function readText(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readInput(file)
}
