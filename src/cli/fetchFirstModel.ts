/** Fetches the first model of `assay up`, and says how to ask it once operators serve it. */
import { z } from 'zod'
import type { Log } from '../base/log.ts'
import type { Home } from '../config/home.ts'
import { openModelFolder } from '../inference/models.ts'
import type { Wanted } from '../models/source.ts'
import { fetchInBackground, type BackgroundFetch } from './backgroundFetch.ts'
import { curl } from './banner.ts'
import { commandText } from './commandText.ts'
import { shortNameOf } from './model/catalogueNames.ts'
import { writeUpFile, type UpFile } from './upFile.ts'

const ANSWER_MS = 5_000

const servedModels = z.object({
  result: z.array(z.object({ model: z.string(), job_type: z.string() })),
})

/** Whether operators serve a model for opml jobs; false while the dispatcher does not say. */
async function isServed({ dispatcher, token }: UpFile, file: string): Promise<boolean> {
  try {
    const answer = await fetch(`${dispatcher}/api/models`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const { result } = servedModels.parse(await answer.json())
    return result.some(({ model, job_type: type }) => model === file && type === 'opml')
  } catch {
    return false
  }
}

/** Begins, if there is one to fetch. The file of the running system then lists it. */
export function fetchFirstModel(
  first: Wanted | undefined,
  home: Home,
  up: UpFile,
  log: Log,
): BackgroundFetch {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  return fetchInBackground(first, {
    folder: home.models,
    environment: process.env,
    log,
    say,
    isServed: (file) => isServed(up, file),
    async onServed(file) {
      writeUpFile(home.upFile, { ...up, models: await openModelFolder(home.models).list() })
      const ask = commandText(`run ${shortNameOf(file)} "What is AI?"`, home.folder)
      say(`${file} is there. Ask it:\n  ${curl(up, shortNameOf(file))}\n  ${ask}\n`)
    },
  })
}
