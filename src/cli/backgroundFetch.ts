/** Fetches a model while the system runs (D125): in one line of progress, and never in its way. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { findInCatalogue } from '../models/catalogue.ts'
import { fetchModel } from '../models/fetchModel.ts'
import type { Wanted } from '../models/source.ts'
import { openWeb } from '../models/web.ts'
import { addCatalogueNames } from './model/catalogueNames.ts'
import { describeModel, requireSupported } from './model/describe.ts'
import { createProgress, progressOf } from './progress.ts'

/** Of an address that names no size. */
const MAX_BYTES = 20_000_000_000
const POLL_MS = 250
/** Operators look for new files every two seconds; a busy machine may need longer. */
const SERVED_MS = 60_000

export type BackgroundFetch = {
  /** Gives up; what has arrived stays for the next start. Resolves when nothing is written any more. */
  stop(): Promise<void>
}

export type BackgroundOptions = {
  /** The models folder. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** Whether operators serve the model by now. */
  readonly isServed: (file: string) => Promise<boolean>
  /** Called when it can be asked. */
  readonly onServed: (file: string) => Promise<void>
  /** Prints a line. */
  readonly say: (line: string) => void
}

/** What a catalogue's file is was settled when its hash was written down; others are looked at. */
async function check(wanted: Wanted, file: string): Promise<void> {
  if (findInCatalogue(wanted.file)?.sha256 === wanted.sha256) return
  requireSupported(await describeModel(file))
}

async function fetchAndServe(
  wanted: Wanted,
  { folder, environment, isServed, onServed, say }: BackgroundOptions,
  signal: AbortSignal,
): Promise<void> {
  const progress = createProgress()
  if (!process.stderr.isTTY) say(`Fetching ${wanted.file} in the background.`)
  const web = openWeb(environment)
  try {
    await fetchModel(wanted, {
      folder,
      web,
      environment,
      maxBytes: MAX_BYTES,
      signal,
      report: progressOf(progress, `Fetching ${wanted.file}`),
      async check(file) {
        progress.end()
        await check(wanted, file)
      },
    })
    await addCatalogueNames(folder, wanted.file)
    const until = AbortSignal.any([signal, AbortSignal.timeout(SERVED_MS)])
    while (!until.aborted && !(await isServed(wanted.file)))
      await sleep(POLL_MS, undefined, { signal: until }).catch(() => undefined)
    signal.throwIfAborted()
    await onServed(wanted.file)
  } finally {
    progress.end()
    await web.close()
  }
}

/** Begins, unless the model is there. A failure is one line: everything else runs without the model. */
export function fetchInBackground(
  wanted: Wanted | undefined,
  options: BackgroundOptions,
): BackgroundFetch {
  if (wanted === undefined || fs.existsSync(path.join(options.folder, wanted.file)))
    return { stop: () => Promise.resolve() }
  const stopping = new AbortController()
  const { signal } = stopping
  const running = fetchAndServe(wanted, options, signal).catch((error: unknown) => {
    if (signal.aborted) return
    options.log.warn({ model: wanted.file, reason: messageOf(error) }, 'no model was fetched')
    options.say(`${messageOf(error)}. Ask tiny.gguf meanwhile; the next start tries again.`)
  })
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
