/** Downloads a file of a known hash: what is there already is kept, whatever ends the connection or the program (D124). */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../base/backOff.ts'
import { messageOf, UserError } from '../base/errors.ts'
import { networkFault, shownUrl, type Answer, type Web } from './web.ts'
import type { Located } from './wheel.ts'

/** Attempts in a row that bring nothing before it gives up. */
const MAX_ATTEMPTS = 6
/** What a disk must have left when the file is there, for the databases of the same disk. */
const SPARE_BYTES = 512 * 1024 * 1024
const READ_BYTES = 1024 * 1024

/** Called with bytes done, of the total. */
export type Report = (done: number, of: number) => void

export type Download = Located & {
  /** Of the whole file, in 64 hex digits. */
  readonly sha256: string
  /** Size of the file, if it is known. */
  readonly bytes: number | undefined
  /** Maximum size of a file whose size is not known. */
  readonly maxBytes: number
  /** Space that is needed besides the file itself. */
  readonly besidesBytes?: number
  readonly signal: AbortSignal
  readonly report: Report
  /** Milliseconds to wait after an attempt. */
  readonly delay?: (attempt: number) => number
}

/** The server's part went wrong; another attempt may help. */
class Interruption extends Error {}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Total size that an answer names; undefined if it names none. Throws Interruption when its range is not the one asked for. */
function totalOf({ status, header }: Answer, from: number): number | undefined {
  if (status === 206) {
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(header('content-range') ?? '') ?? []
    if (first === undefined || Number(first) !== from)
      throw new Interruption('the server sent another range than the one asked for')
    return total === undefined || total === '*' ? undefined : Number(total)
  }
  const length = header('content-length')
  return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined
}

function checkStatus({ status, url }: Answer): void {
  if (status === 200 || status === 206) return
  const text = `${shownUrl(url)} answers with status ${status}`
  if (status === 408 || status === 416 || status === 429 || status >= 500)
    throw new Interruption(text)
  throw new UserError(text)
}

/** Throws UserError unless the disk has room. */
function checkSpace(folder: string, needed: number): void {
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  if (free < needed + SPARE_BYTES)
    throw new UserError(
      `the disk of ${folder} has ${Math.floor(free / 1e6)} MB left, but ${Math.ceil((needed + SPARE_BYTES) / 1e6)} MB are needed`,
    )
}

/** A full disk does not become another one by asking the server again. */
function notWritten(file: string, error: unknown): never {
  throw new UserError(`${file} cannot be written: ${messageOf(error)}`)
}

/** Adds the answer's bytes to the file; resolves with the total size when all are there. */
async function append(
  answer: Answer,
  file: string,
  from: number,
  options: Download,
): Promise<void> {
  const { bytes, maxBytes, report, besidesBytes = 0 } = options
  const total = totalOf(answer, from) ?? bytes
  if (bytes !== undefined && total !== bytes)
    throw new UserError(`${shownUrl(answer.url)} has ${total} bytes, but ${bytes} are expected`)
  const limit = total ?? maxBytes
  if (limit > maxBytes)
    throw new UserError(
      `${shownUrl(answer.url)} has ${total} bytes, more than the maximum of ${maxBytes}`,
      'Pass a larger --max-size.',
    )
  checkSpace(path.dirname(file), (total ?? 0) - from + besidesBytes)
  const target = await fs.promises
    .open(file, 'a', 0o600)
    .catch((error: unknown) => notWritten(file, error))
  let size = from
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit)
        throw new UserError(`${shownUrl(answer.url)} sends more than the ${limit} bytes expected`)
      await target.write(chunk).catch((error: unknown) => notWritten(file, error))
      report(size, total ?? size)
    }
    await target.sync()
  } finally {
    await target.close()
  }
  if (total !== undefined && size < total) throw new Interruption('the connection was cut')
}

/** One attempt. Rejects with UserError where a further one is of no use. */
async function attempt(web: Web, file: string, options: Download): Promise<void> {
  const { url, authorization, signal, bytes } = options
  if (bytes !== undefined && sizeOf(file) > bytes) fs.truncateSync(file)
  const from = sizeOf(file)
  if (from > 0 && from === bytes) return
  const headers = from > 0 ? { range: `bytes=${from}-` } : {}
  const answer = await web.ask(url, { headers, authorization, signal })
  try {
    // A server without ranges sends everything; one that has less than we have cannot go on from here.
    if (from > 0 && (answer.status === 200 || answer.status === 416)) fs.truncateSync(file)
    checkStatus(answer)
    await append(answer, file, answer.status === 200 ? 0 : from, options)
  } finally {
    answer.body.destroy()
  }
}

/** SHA-256 of a file in 64 hex digits. */
export async function hashOfFile(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of fs.createReadStream(file, { highWaterMark: READ_BYTES, signal }))
    hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/**
 * Downloads into a file, from where an earlier download of it ended. Rejects with UserError: the server refuses, the
 * network is away, or the hash differs, in which case the file is removed; else with the signal's reason.
 */
export async function download(web: Web, file: string, options: Download): Promise<void> {
  const { signal, sha256, url, delay = backOff } = options
  for (let count = 0; ; count++) {
    const before = sizeOf(file)
    try {
      await attempt(web, file, options)
      break
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof UserError) throw error
      if (sizeOf(file) > before) count = 0
      if (count >= MAX_ATTEMPTS - 1)
        throw new UserError(
          `${shownUrl(url)} cannot be fetched: ${networkFault(error)}`,
          'What has arrived is kept: the same command resumes from there.',
        )
      await sleep(delay(count), undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
  const actual = await hashOfFile(file, signal)
  if (actual === sha256) return
  fs.rmSync(file)
  throw new UserError(
    `${shownUrl(url)} has the SHA-256 ${actual}, but ${sha256} is expected`,
    'The file was removed. Another server sent something else, or the address has another file by now.',
  )
}
