/** Re-executes an answer as its statement says that it was executed (D35). */
import path from 'node:path'
import { openFixedEngine } from '../inference/fixed/engine.ts'
import type { Trace } from '../inference/fixed/trace.ts'
import { openModelFolder } from '../inference/models.ts'
import type { BundleAnswer } from '../proof/bundle/format.ts'
import type { Execution } from '../proof/bundle/trust.ts'
import { promptText } from '../proof/job/canonicalMessages.ts'
import { paramsHash, promptHash } from '../proof/job/hashes.ts'
import { samplerSeed } from '../proof/job/samplerSeed.ts'
import { enginePrompt } from './enginePrompt.ts'
import { executionClaims } from './executionClaims.ts'

/** Result of a replay, with what it was made from. */
export type Replayed = Execution & { readonly output: string; readonly trace: Trace }

/** Runs the prompt, or the messages as JSON, on a model file with the parameters and the seed of an answer. Rejects with InferenceError. */
export async function replayAnswer(
  { statement, params }: Pick<BundleAnswer, 'statement' | 'params'>,
  from: { readonly prompt: string; readonly modelFile: string },
  signal: AbortSignal,
): Promise<Replayed> {
  const prompt = promptText(from.prompt, params)
  const engine = openFixedEngine()
  const folder = openModelFolder(path.dirname(from.modelFile))
  const model = await folder.open(path.basename(from.modelFile))
  try {
    const generation = await engine.generate({
      model,
      ...enginePrompt(prompt, params),
      raw: (statement.renderer ?? '') === '',
      createdAt: statement.createdAt ?? 0,
      temperature: params.temperature,
      topP: params.top_p,
      maxTokens: params.max_tokens,
      stop: params.stop ?? [],
      seed: samplerSeed(statement, params.seed),
      signal,
    })
    const { output, commitment } = generation
    if (commitment === undefined) throw new Error('the engine committed to nothing')
    return {
      engine: engine.id,
      ...executionClaims(model, generation),
      promptHash: promptHash(prompt),
      paramsHash: paramsHash(params),
      output,
      trace: commitment.trace,
    }
  } finally {
    await engine.close()
  }
}
