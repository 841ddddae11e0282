/** The jobs in progress: received from a session, done, kept on disk, delivered. */
import { messageOf } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import type { JobType, VectorClock } from '../../proof/job/job.ts'
import type { Dispatch, Result } from '../protocol.ts'
import { advanceClock } from '../../proof/job/vectorClock.ts'
import type { OperatorChain } from './chain.ts'
import { whileUnavailable } from './database.ts'
import { doJob, refusal, type Refused } from './job.ts'
import type { Identity, Offer } from './login.ts'
import type { OperatorMetrics } from './metrics.ts'
import type { Outbox } from './outbox.ts'
import type { Order, Session } from './session.ts'
import type { Source } from './sources.ts'

/** The protocol's maximum. */
const MAX_MODELS = 1024

export type DeskOptions = {
  readonly identity: Identity
  readonly clock: VectorClock
  readonly slots: number
  readonly sources: ReadonlyMap<JobType, Source>
  readonly chain: OperatorChain
  readonly outbox: Outbox
  readonly metrics: OperatorMetrics
  readonly log: Log
  readonly signal: AbortSignal
}

function outcomeOf(message: Result | Refused): string {
  if (message.type === 'refused') return 'refused'
  return message.selected ? 'answered' : 'passed'
}

/**
 * Jobs outlive sessions: results that are finished while the dispatcher is unreachable are delivered at the next login.
 */
export class Desk {
  readonly identity: Identity
  readonly #options: DeskOptions
  readonly #leases = new Set<string>()
  readonly #tasks = new Set<Promise<void>>()
  #clock: VectorClock
  #session: Session | undefined

  constructor(options: DeskOptions) {
    this.#options = options
    this.identity = options.identity
    this.#clock = options.clock
  }

  /** Number of jobs in progress. */
  get jobsAtHand(): number {
    return this.#leases.size
  }

  /** Whether any job is in progress. */
  get isBusy(): boolean {
    return this.#leases.size > 0
  }

  /** What can be offered now: the job types whose source responds. Rejects with the last reason when none does. */
  async offer(): Promise<Offer> {
    const { sources, slots, signal, log } = this.#options
    const workers: JobType[] = []
    const models = new Set<string>()
    let failure: unknown
    for (const [type, source] of sources)
      try {
        for (const name of await source.models(signal)) models.add(name)
        workers.push(type)
      } catch (error) {
        failure = error
        log.debug({ type, reason: messageOf(error) }, 'not ready for jobs of this type')
      }
    if (workers.length === 0) throw failure
    return { workers, models: [...models].slice(0, MAX_MODELS), slots }
  }

  /** The range of this operator in the registry; undefined when it is not registered, or the chain does not respond. */
  async registered(): Promise<SelectionRange | undefined> {
    return this.#options.chain.registeredRange()
  }

  /** Makes a session the one that results go to, and sends it the kept results. */
  async deliver(session: Session): Promise<void> {
    const { outbox, log, signal } = this.#options
    this.#session = session
    for (const kept of await whileUnavailable(() => outbox.all(), log, signal)) session.send(kept)
  }

  /** Handles a message of the dispatcher. */
  take(order: Order, session: Session): void {
    this.#session = session
    if (order.type === 'dispatch') return this.#takeJob(order, session)
    const { outbox, metrics, log, signal } = this.#options
    const { jobId, lease } = order
    if (order.type === 'rejected') {
      log.warn({ jobId, lease, reason: order.reason }, 'a result was not taken')
      metrics.add('assay_operator_results_rejected_total', {})
    } else log.debug({ jobId, lease }, 'a result was recorded')
    this.#run(() => whileUnavailable(() => outbox.remove(lease), log, signal))
  }

  /** Resolves when no job or delivery is in progress. */
  async idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks)
  }

  #takeJob(dispatch: Dispatch, session: Session): void {
    if (this.#leases.has(dispatch.lease)) return
    if (this.#leases.size >= this.#options.slots)
      return session.send(refusal(dispatch, 'the operator is at its limit of jobs', true))
    this.#leases.add(dispatch.lease)
    this.#run(() =>
      this.#work(dispatch, session).finally(() => this.#leases.delete(dispatch.lease)),
    )
  }

  async #work(dispatch: Dispatch, session: Session): Promise<void> {
    const { outbox, metrics, log, signal } = this.#options
    const { jobId, lease, job } = dispatch
    const began = performance.now()
    const beat = (): void => this.#session?.send({ type: 'heartbeat', leases: [lease] })
    const heartbeat = setInterval(beat, (dispatch.leaseSeconds * 1000) / 3)
    try {
      // A lease that is handed out again was answered before, and the answer was lost in transit.
      const kept = await whileUnavailable(() => outbox.find(lease), log, signal)
      const message = kept ?? (await this.#do(dispatch, session))
      if (message.type === 'result')
        log.info({ jobId, lease, selected: message.selected }, 'finished a job')
      else log.warn({ jobId, lease, reason: message.reason, retry: message.retry }, 'refused a job')
      this.#session?.send(message)
      const seconds = (performance.now() - began) / 1000
      const labels = { type: job.tag, outcome: outcomeOf(message) }
      metrics.observe('assay_operator_job_seconds', labels, seconds)
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #do(dispatch: Dispatch, { range, protocol }: Session): Promise<Result | Refused> {
    const { identity, sources, chain, outbox, log, signal } = this.#options
    const expected = await chain.chainId()
    if (expected !== undefined && expected !== BigInt(dispatch.chainId))
      return refusal(
        dispatch,
        `this operator is on chain ${expected}, but the job is on chain ${dispatch.chainId}`,
        true,
      )
    if (dispatch.block !== undefined && (await chain.contradicts(dispatch.block)))
      return refusal(dispatch, `the chain has a different block ${dispatch.block.number}`, true)
    const clock = advanceClock(this.#clock, toHex(identity.address), dispatch.clock)
    this.#clock = clock
    const message = await doJob(dispatch, {
      identity,
      range,
      protocol,
      clock,
      sources,
      signal,
    })
    if (message.type === 'result')
      await whileUnavailable(() => outbox.put(message, this.#clock), log, signal)
    return message
  }

  /** Runs a task in the background; a failure is logged and never stops the operator. */
  #run(task: () => Promise<void>): void {
    const { log, signal } = this.#options
    const running = task()
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ reason: messageOf(error) }, 'a job could not be finished')
      })
      .finally(() => this.#tasks.delete(running))
    this.#tasks.add(running)
  }
}
