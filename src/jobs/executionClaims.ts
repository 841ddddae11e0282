/** What a statement says about an execution, as operators, workers and verifiers derive it from one. */
import type { Generation } from '../inference/engine.ts'
import type { ModelFile } from '../inference/models.ts'
import { outputHash } from '../proof/job/hashes.ts'
import { NO_ROOT } from '../proof/job/statement.ts'

/** The claims. */
export function executionClaims(
  model: Pick<ModelFile, 'sha256'>,
  { output, tokens, promptTokens, finishReason, commitment, form = {} }: Generation,
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
    templateHash: form.templateHash ?? NO_ROOT,
    renderer: form.renderer ?? '',
    tokenListHash: form.tokenListHash ?? NO_ROOT,
  } as const
}
