/** What a statement says about an execution, as operators, workers and verifiers derive it from one. */
import type { Generation } from '../inference/engine.ts'
import type { ModelFile } from '../inference/models.ts'
import { outputHash } from '../proof/job/hashes.ts'
import { NO_ROOT } from '../proof/job/statement.ts'

/** The claims. Prompts are run as they are, without a template. */
export function executionClaims(
  model: Pick<ModelFile, 'sha256'>,
  { output, tokens, promptTokens, finishReason, commitment }: Generation,
) {
  return {
    modelHash: model.sha256,
    outputHash: outputHash(output),
    tokens,
    finishReason,
    modelRoot: commitment?.modelRoot ?? NO_ROOT,
    traceRoot: commitment?.traceRoot ?? NO_ROOT,
    promptTokens,
    commitment: commitment?.version ?? 0,
    rowsRoot: NO_ROOT,
    templateHash: NO_ROOT,
    renderer: '',
    tokenListHash: NO_ROOT,
  } as const
}
