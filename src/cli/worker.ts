/** `assay worker`: the worker of a tee operator. */
import { Command, Option } from 'commander'
import { EVIDENCE_KINDS, type EvidenceKind } from '../attest/kind.ts'
import { homePaths } from '../config/home.ts'
import { listenAddress } from '../config/types.ts'
import { hasLlamaRuntime, llamaFolderOf } from '../inference/llamaRuntime.ts'
import { openTracer } from '../base/tracing/settings.ts'
import { httpUrl } from '../config/url.ts'
import { addHomeOption, logLevelOf, readOption, tracingOf } from './options.ts'
import { runService } from './service.ts'

type Options = {
  readonly home: string
  readonly address: string
  readonly evidence: EvidenceKind
  readonly collateral?: string
  readonly certificates?: string
  readonly metrics?: string
  readonly backend?: string
  readonly backendKeyFile?: string
  readonly backendModel: readonly string[]
}

async function backendOptions({ backend, backendKeyFile: keyFile, backendModel }: Options) {
  if (backend === undefined) return undefined
  const { readBackendModel } = await import('../jobs/worker/backend/options.ts')
  return {
    url: readOption('--backend', httpUrl, backend),
    models: new Map(backendModel.map(readBackendModel)),
    ...(keyFile !== undefined && { keyFile }),
  }
}

function evidenceOptions({ evidence: kind, collateral, certificates }: Options) {
  return {
    kind,
    ...(collateral === undefined ? {} : { collateralFile: collateral }),
    ...(certificates === undefined ? {} : { certificatesFile: certificates }),
  }
}

/** The command. */
export function workerCommand(): Command {
  return addHomeOption(new Command('worker'))
    .description('Run the worker of a tee operator, which computes answers and attests to them.')
    .option('--address <host:port>', 'listen address; port 0 picks a free port', '127.0.0.1:0')
    .addOption(
      new Option('--evidence <kind>', 'kind of attestation evidence')
        .choices(EVIDENCE_KINDS)
        .default('auto'),
    )
    .option('--collateral <file>', "Intel's collateral for this platform as JSON, for TDX")
    .option(
      '--certificates <file>',
      'VCEK, ASK and ARK as PEM, for SEV-SNP hosts that provide none',
    )
    .option(
      '--backend <url>',
      'server with the API of OpenAI that computes, as http://host:8000/v1',
    )
    .option('--backend-key-file <file>', 'file of its API key, which no other user may read')
    .option(
      '--backend-model <name=name>',
      'name in jobs = name at the server; default: all of its models',
      (value: string, all: readonly string[]) => [...all, value],
      [],
    )
    .option('--metrics <host:port>', 'address that serves metrics for Prometheus (GET /metrics)')
    .action(async (options: Options) => {
      const home = homePaths(options.home)
      const llama = llamaFolderOf(home.folder)
      const { host, port } = readOption('--address', listenAddress, options.address)
      const { runWorker } = await import('../jobs/worker/worker.ts')
      await runService('worker', logLevelOf(home), async ({ signal, log, ready }) => {
        const backend = await backendOptions(options)
        const tracer = openTracer('worker', tracingOf(home), process.env, log)
        const worker = await runWorker(
          {
            host,
            port,
            modelsFolder: home.models,
            folder: home.worker,
            secretFile: home.workerSecret,
            evidence: evidenceOptions(options),
            ...(hasLlamaRuntime(llama) && { llamaFolder: llama }),
            ...(backend !== undefined && { backend }),
            ...(options.metrics !== undefined && {
              metricsAddress: readOption('--metrics', listenAddress, options.metrics),
            }),
          },
          { log, signal, tracer },
        )
        const { address, metrics } = worker
        ready({ address, ...(metrics !== undefined && { metrics }) })
        return async () => {
          await worker.close()
          await tracer?.close()
        }
      })
    })
}
