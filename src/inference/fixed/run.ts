/** One execution: a prompt, then tokens that are sampled one by one. */
import type { Execution } from './batch.ts'
import type { RunRequest } from './lane.ts'
import type { FixedModel } from './model.ts'
import type { TokenTrace } from './trace.ts'

/** Begins an execution, next to those of the model that are going on. Rejects as `Batch.join` does. */
export function begin(
  { batch, rope, tokenizer }: FixedModel,
  request: RunRequest,
): Promise<Execution> {
  return batch.join(request, { rope, isEnd: (token) => tokenizer.isEnd(token) })
}

/**
 * Yields the steps of each token, and for the last of the prompt and those after it the token that was chosen next. The last one
 * yielded chose an end token, or filled the room. Yields to other work between tokens. Throws the signal's reason.
 */
export async function* run(model: FixedModel, request: RunRequest): AsyncGenerator<TokenTrace> {
  const execution = await begin(model, request)
  try {
    yield* execution.steps()
  } finally {
    await execution.leave()
  }
}
