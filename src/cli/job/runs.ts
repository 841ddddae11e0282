/** Executions of a bundle's answers on this machine, once for each key that determines one (D76). */
import { messageOf, UserError } from '../../base/errors.ts'
import type { Execution } from '../../proof/bundle/trust.ts'

/** Executes the opml answers; what is no bundle has none. Rejects with UserError when the model cannot be executed. */
export async function executeAnswers(
  json: unknown,
  from: { readonly prompt: string; readonly modelFile: string },
): Promise<ReadonlyMap<string, Execution>> {
  const { bundle } = await import('../../proof/bundle/format.ts')
  const { runKey } = await import('../../proof/bundle/runKey.ts')
  const { replayAnswer } = await import('../../jobs/replay.ts')
  const { InferenceError } = await import('../../inference/errors.ts')
  const executions = new Map<string, Execution>()
  const { signal } = new AbortController()
  for (const answer of bundle.safeParse(json).data?.answers ?? []) {
    if (answer.statement.jobType !== 'opml') continue
    try {
      const key = runKey(answer)
      if (!executions.has(key)) executions.set(key, await replayAnswer(answer, from, signal))
    } catch (error) {
      // What cannot be hashed is malformed, as verification will say.
      if (error instanceof RangeError || error instanceof SyntaxError) continue
      if (error instanceof InferenceError) throw new UserError(messageOf(error))
      throw error
    }
  }
  return executions
}
