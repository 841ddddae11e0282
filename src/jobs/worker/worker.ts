/**
 * The TEE worker: a process of its own that runs models and attests what it ran. It hashes model, prompt and output
 * itself and fills the statement with what it observed, so an operator cannot make it attest to anything else.
 */
import fastify, { type FastifyInstance } from 'fastify'
import type { EvidenceKind } from '../../attest/kind.ts'
import { openAttester } from '../../attest/open.ts'
import { messageOf, UserError } from '../../base/errors.ts'
import { limitConnections } from '../../base/fairConnections.ts'
import { parseBounded } from '../../base/jsonBudget.ts'
import { formatAddress, type ListenAddress } from '../../base/listen.ts'
import { countSpans } from '../../base/processMetrics.ts'
import { parseTraceparent } from '../../base/tracing/context.ts'
import type { Tracer } from '../../base/tracing/tracer.ts'
import type { Log } from '../../base/log.ts'
import { createMetrics } from '../../base/metrics.ts'
import { startMetricsServer } from '../../base/metricsServer.ts'
import { InferenceError } from '../../inference/errors.ts'
import { evidenceSubject } from '../evidence.ts'
import { encodeWithZod, parseWithZod, type ZodTypeProvider } from '../zodRoutes.ts'
import {
  ANSWER_PATH,
  STATUS_PATH,
  workerAnswer,
  workerRequest,
  workerStatus,
  type WorkerFailure,
} from './api.ts'
import type { BackendOptions } from './backend/options.ts'
import { openLineStream } from './lineStream.ts'
import { WORKER_METRICS } from './metrics.ts'
import { isAuthorized, loadWorkerSecret } from './secret.ts'
import { openLlamaSource, openServerSource, type WorkerSource } from './source.ts'

/** The dispatcher limits prompts; this only bounds memory. */
const MAX_CONNECTIONS = 1000
const MAX_BODY = 16 * 1024 * 1024
/** The secret is checked before the body is read; headers and body must come in this time. */
const HEADERS_MS = 10_000
const REQUEST_MS = 60_000
const BODY_LIMITS = { bytes: MAX_BODY, depth: 8, values: 256 }

export type WorkerOptions = {
  /** Address to listen on; port 0 picks a free one. */
  readonly host: string
  readonly port: number
  readonly modelsFolder: string
  /** Folder of the worker's attestation key. */
  readonly folder: string
  /** File of the secret shared with the operator; created if missing. */
  readonly secretFile: string
  /** What attests; by default the machine's hardware if it has any, otherwise software. */
  readonly evidence?: {
    readonly kind: EvidenceKind
    readonly collateralFile?: string
    readonly certificatesFile?: string
  }
  /** Folder of the llama.cpp binding; by default that of the installation. */
  readonly llamaFolder?: string
  /** A server that computes the answers instead; what attests is software then, whatever the machine has. */
  readonly backend?: BackendOptions
  /** Address for metrics; not served by default. */
  readonly metricsAddress?: ListenAddress
}

/** A worker that answers at `address`, "http://host:port". */
export type Worker = {
  readonly address: string
  /** URL of the metrics; undefined if they are not served. */
  readonly metrics: string | undefined
  close(): Promise<void>
}

/**
 * Starts a worker. A missing models folder is created, with the generated model in it. Rejects with UserError on a bad
 * secret or key file and when the machine lacks the hardware that is to attest, with InferenceError when llama.cpp is
 * not installed, and with the system's error when the port is in use.
 */
export async function runWorker(
  options: WorkerOptions,
  {
    log,
    signal,
    tracer,
  }: {
    readonly log: Log
    readonly signal: AbortSignal
    /** Without it nothing is traced. The caller closes it. */
    readonly tracer?: Tracer | undefined
  },
): Promise<Worker> {
  signal.throwIfAborted()
  const secret = loadWorkerSecret(options.secretFile)
  if (options.backend !== undefined && !isSoftware(options.evidence?.kind))
    throw new UserError(
      'hardware cannot attest to what another server computes',
      'Use --evidence software with --backend.',
    )
  const attester = openAttester({
    kind: 'auto',
    ...options.evidence,
    ...(options.backend !== undefined && { kind: 'software' as const }),
    folder: options.folder,
    measured: [import.meta.filename],
  })
  const source =
    options.backend === undefined
      ? openLlamaSource(options, log)
      : openServerSource(options.backend)
  if (attester.level === 'hardware') log.info({ format: attester.format }, 'hardware attests')
  else
    log.warn(
      { evidence: attester.level },
      'this worker has no TEE: its evidence proves nothing about the machine',
    )

  const metrics = createMetrics(WORKER_METRICS)
  if (tracer !== undefined) countSpans(metrics, tracer.counts)
  metrics.set('assay_worker_evidence_hardware', {}, attester.level === 'hardware' ? 1 : 0)
  const server = createServer(secret)
  server.get(STATUS_PATH, { schema: { response: { 200: workerStatus } } }, async () => ({
    level: attester.level,
    ...(await modelsOf(source)),
  }))
  server.post(
    ANSWER_PATH,
    { schema: { body: workerRequest, response: { 200: workerAnswer } } },
    async (request, reply) => {
      const { chainId, dispatcher, stream, ...asked } = request.body
      const lines = stream === true ? openLineStream(reply) : undefined
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const began = performance.now()
      let outcome = 'failed'
      try {
        const answer = await source.answer(asked, gone.signal, lines?.text)
        const domain = { chainId: BigInt(chainId), dispatcher }
        const evidence = await attester.attest(evidenceSubject(answer.statement, domain))
        log.info({ jobId: asked.jobId, tokens: answer.statement.tokens }, 'answered')
        metrics.add('assay_worker_tokens_total', {}, answer.statement.tokens)
        outcome = 'answered'
        if (lines?.hasBegun !== true) return { ...answer, evidence }
        lines.end(workerAnswer.parse({ ...answer, evidence }))
        return reply
      } catch (error) {
        if (lines?.hasBegun !== true) throw error
        lines.end(failureOf(error))
        return reply
      } finally {
        const seconds = (performance.now() - began) / 1000
        metrics.observe('assay_worker_answer_seconds', { outcome }, seconds)
        const { traceparent } = request.headers
        tracer?.record('worker.answer', {
          kind: 'server',
          milliseconds: seconds * 1000,
          parent: parseTraceparent(typeof traceparent === 'string' ? traceparent : undefined),
          attributes: { 'assay.job.id': asked.jobId, 'assay.job.outcome': outcome },
          isError: outcome === 'failed',
        })
      }
    },
  )
  const address = await server.listen({ host: options.host, port: options.port })
  const measured =
    options.metricsAddress &&
    (await startMetricsServer({
      address: options.metricsAddress,
      flag: '--metrics host:port',
      scrape: metrics.scrape,
      log,
    }))
  return {
    address,
    metrics: measured && `http://${formatAddress(measured.address)}`,
    async close() {
      await measured?.close()
      await server.close()
      await source.close()
    },
  }
}

const isSoftware = (kind: EvidenceKind = 'auto'): boolean => kind === 'auto' || kind === 'software'

async function modelsOf(source: WorkerSource) {
  const { models, identities } = await source.models()
  return { models: [...models], identities: [...identities] }
}

function createServer(secret: string) {
  const server: FastifyInstance = fastify({
    bodyLimit: MAX_BODY,
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 1000, maxHeaderSize: 8192 },
  })
  limitConnections(server.server, MAX_CONNECTIONS)
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => parseBody(body),
  )
  server.setValidatorCompiler(parseWithZod)
  server.setSerializerCompiler(encodeWithZod)
  server.addHook('onRequest', async (request, reply) => {
    if (!isAuthorized(request.headers.authorization, secret))
      await reply
        .code(401)
        .header('connection', 'close')
        .send({ message: 'the worker secret is missing or wrong', retry: true })
  })
  server.setErrorHandler((error, _request, reply) => {
    return reply
      .code(error instanceof InferenceError ? 422 : statusOf(error))
      .send(failureOf(error))
  })
  return server.withTypeProvider<ZodTypeProvider>()
}

function failureOf(error: unknown): WorkerFailure {
  return error instanceof InferenceError
    ? { message: error.message, retry: error.retry }
    : { message: messageOf(error), retry: statusOf(error) >= 500 }
}

function parseBody(body: Buffer): unknown {
  try {
    return parseBounded(body, BODY_LIMITS)
  } catch (error) {
    throw Object.assign(new Error(messageOf(error)), { statusCode: 400 })
  }
}

function statusOf(error: unknown): number {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
}
