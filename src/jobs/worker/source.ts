/** Where a worker's answers come from: llama.cpp here, or another server (D142). */
import type { Log } from '../../base/log.ts'
import { openIdentities } from '../../inference/modelIdentity.ts'
import { openLlamaEngine } from '../../inference/llama.ts'
import { openModelFolder } from '../../inference/models.ts'
import { prepareLater } from '../../inference/prepareLater.ts'
import { ensureTinyModel } from '../../inference/tinyModel.ts'
import { computeAnswer, type Answer, type AnswerRequest } from '../answer.ts'
import { identitiesOf } from '../identities.ts'
import type { ModelIdentity } from '../protocol.ts'
import { openBackend } from './backend/engine.ts'
import type { BackendOptions } from './backend/options.ts'

export type WorkerSource = {
  /** Names of the models, and what is known of their files. */
  models(): Promise<{
    readonly models: readonly string[]
    readonly identities: readonly ModelIdentity[]
  }>
  /** Rejects with InferenceError, or when aborted. */
  answer(
    request: AnswerRequest,
    signal: AbortSignal,
    onText: ((text: string) => void) | undefined,
  ): Promise<Answer>
  close(): Promise<void>
}

/** llama.cpp and a folder of models, with the generated one in it. Throws InferenceError where llama.cpp is not installed. */
export function openLlamaSource(
  { modelsFolder, llamaFolder }: { readonly modelsFolder: string; readonly llamaFolder?: string },
  log: Log,
): WorkerSource {
  ensureTinyModel(modelsFolder)
  const models = openModelFolder(modelsFolder)
  const identities = openIdentities(models)
  const engine = openLlamaEngine({
    ...(llamaFolder === undefined ? {} : { runtimeFolder: llamaFolder }),
    report: (message) => log.warn({ message }, 'llama.cpp'),
  })
  const callOff = prepareLater(() => engine, log)
  return {
    models: async () => ({
      models: await models.list(),
      identities: identitiesOf('tee', await identities.known()),
    }),
    answer: (request, signal, onText) => computeAnswer(request, { engine, models, signal, onText }),
    async close() {
      callOff()
      identities.close()
      await engine.close()
    },
  }
}

/** A server that speaks OpenAI's API. Throws UserError where the file of its key is not as it should be. */
export function openServerSource(options: BackendOptions): WorkerSource {
  const { engine, models } = openBackend(options)
  return {
    models: async () => ({ models: await models.list(), identities: [] }),
    answer: (request, signal, onText) => computeAnswer(request, { engine, models, signal, onText }),
    close: async () => undefined,
  }
}
