/** Sources of an operator's answers: its own engine for opml jobs, a worker for tee jobs. */
import path from 'node:path'
import type { Log } from '../../base/log.ts'
import { isModelName } from '../../base/modelName.ts'
import type { OperatorConfig } from '../../config/operator.ts'
import type { Engine } from '../../inference/engine.ts'
import { openFixedEngine } from '../../inference/fixed/engine.ts'
import { openLlamaEngine } from '../../inference/llama.ts'
import { openIdentities } from '../../inference/modelIdentity.ts'
import { openModelFolder } from '../../inference/models.ts'
import { prepareLater } from '../../inference/prepareLater.ts'
import { ensureTinyModel } from '../../inference/tinyModel.ts'
import type { Evidence } from '../../proof/attestation.ts'
import type { RecordDomain } from '../../proof/job/typedStruct.ts'
import { computeAnswer, type Answer, type AnswerRequest } from '../answer.ts'
import { identitiesOf } from '../identities.ts'
import type { JobType } from '../../proof/job/job.ts'
import type { ModelIdentity } from '../protocol.ts'
import { startOwnWorker } from './ownWorker.ts'
import { workerClient } from './workerClient.ts'

/** An answer, with evidence if it is from a worker. */
export type SourcedAnswer = Answer & { readonly evidence?: Evidence }

/** Names, and what they mean as far as it is known. */
export type OfferedModels = {
  readonly names: readonly string[]
  readonly identities: readonly ModelIdentity[]
}

export type Source = {
  /** The available models; none if they are unknown at the moment. */
  models(signal: AbortSignal): Promise<OfferedModels>
  /** Answers one request; `onText` receives the output piece by piece where it can be had. Rejects with InferenceError or WorkerError, or when aborted. */
  answer(
    request: AnswerRequest,
    domain: RecordDomain,
    signal: AbortSignal,
    onText?: (text: string) => void,
  ): Promise<SourcedAnswer>
  close(): Promise<void>
}

/** One source per job type of the configuration. */
export function openSources(config: OperatorConfig, log: Log): ReadonlyMap<JobType, Source> {
  const open = { opml: openEngineSource, tee: openWorkerSource }
  return new Map(config.node_type.map((type) => [type, open[type](config, log)]))
}

function llamaFolder({ llama_dir }: OperatorConfig): string | undefined {
  return llama_dir === '' ? undefined : llama_dir
}

function openEngineSource(config: OperatorConfig, log: Log): Source {
  ensureTinyModel(config.models_dir)
  const models = openModelFolder(config.models_dir)
  const identities = openIdentities(models)
  const runtimeFolder = llamaFolder(config)
  let engine: Engine | undefined
  const open = (): Engine => {
    engine ??=
      config.engine === 'fixed'
        ? openFixedEngine({
            maxContext: config.max_context,
            ...(config.memory_mb > 0 && { memory: config.memory_mb * 1_000_000 }),
            ...(config.threads > 0 && { threads: config.threads }),
          })
        : openLlamaEngine({
            maxContext: config.max_context,
            ...(runtimeFolder === undefined ? {} : { runtimeFolder }),
            report: (message) => log.warn({ message }, 'llama.cpp'),
          })
    return engine
  }
  // An operator without llama.cpp still runs, and its refusals say what is missing.
  const callOff = prepareLater(open, log)
  return {
    models: async () => ({
      names: await models.list(),
      identities: identitiesOf('opml', await identities.known()),
    }),
    answer: async (request, _domain, signal, onText) =>
      computeAnswer(request, { engine: open(), models, signal, onText }),
    async close() {
      callOff()
      identities.close()
      await engine?.close()
    },
  }
}

function openWorkerSource(config: OperatorConfig, log: Log): Source {
  const secretFile = config.worker_secret_file || path.join(config.worker_dir, 'worker-secret.hex')
  const { worker_url: url } = config
  const folder = llamaFolder(config)
  const own =
    url === undefined
      ? startOwnWorker(
          {
            host: '127.0.0.1',
            port: 0,
            modelsFolder: config.models_dir,
            folder: config.worker_dir,
            secretFile,
            ...(folder === undefined ? {} : { llamaFolder: folder }),
          },
          log,
        )
      : undefined
  const client = workerClient({
    url: async (signal) => url ?? (await own?.url(signal)) ?? '',
    secretFile,
  })
  return {
    models: async (signal) => {
      const { models: names, identities = [] } = await client.status(signal)
      return { names: names.filter(isModelName), identities }
    },
    answer: (request, { chainId, dispatcher }, signal, onText) =>
      client.answer(
        { ...request, jobType: 'tee', chainId: chainId.toString(), dispatcher },
        signal,
        onText,
      ),
    close: async () => own?.close(),
  }
}
