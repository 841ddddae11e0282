/** The jobs in progress: received from a session, done, kept on disk, delivered. */
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import type { Log } from '../../base/log.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import type { JobType, VectorClock } from '../../proof/job/job.ts'
import { MAX_IDENTITIES, type Dispatch, type ModelIdentity, type Result } from '../protocol.ts'
import { advanceClock, countOf, MAX_COUNT, MAX_PARTICIPANTS } from '../../proof/job/vectorClock.ts'
import type { Tracer } from '../../base/tracing/tracer.ts'
import { jobTrace } from '../jobTrace.ts'
import type { OperatorChain } from './chain.ts'
import { whileUnavailable } from './database.ts'
import { doJob, refusal, type Refused } from './job.ts'
import type { Identity } from './login.ts'
import type { Offer } from './offers.ts'
import type { OperatorMetrics } from './metrics.ts'
import type { Outbox } from './outbox.ts'
import type { Order, Session } from './session.ts'
import type { Source } from './sources.ts'
import { createTextSender, type TextSender } from './textSender.ts'

/** The protocol's maximum. */
const MAX_MODELS = 1024
/** Unconfirmed results beyond which no further jobs are taken: as many as an operator may have slots (D75). */
const MAX_UNCONFIRMED = 256
/** Heartbeats are sent for longer leases as if they were of this length, in seconds. */
const MAX_LEASE_S = 3600
/** Refused models that are logged one by one. */
const MAX_NOTICES = 16
/** How much of a dispatcher's reason is logged, in characters. */
const MAX_REASON = 2000

export type DeskOptions = {
  readonly identity: Identity
  /** As the outbox has it. */
  readonly clock: VectorClock
  readonly slots: number
  readonly sources: ReadonlyMap<JobType, Source>
  readonly chain: OperatorChain
  readonly outbox: Outbox
  readonly metrics: OperatorMetrics
  readonly tracer?: Tracer | undefined
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * The operator's own count in a kept clock. Former releases kept whatever dispatchers had sent; a count that has no
 * successor, or is none, begins again.
 */
function ownEvents(kept: VectorClock, self: string): bigint {
  const count = Object.hasOwn(kept, self) ? kept[self] : undefined
  if (count === undefined || !/^\d{1,16}$/.test(count)) return 0n
  return BigInt(count) < MAX_COUNT ? BigInt(count) : 0n
}

function outcomeOf(message: Result | Refused): string {
  if (message.type === 'refused') return 'refused'
  return message.selected ? 'answered' : 'passed'
}

/** A job in progress: its text, and the end of it before it is done. */
type Work = {
  readonly dispatch: Dispatch
  readonly sender: TextSender
  readonly halt: AbortController
}

/**
 * Jobs outlive sessions: results that are finished while the dispatcher is unreachable are delivered at the next login.
 */
export class Desk {
  readonly identity: Identity
  readonly #options: DeskOptions
  /** Jobs in progress by their lease. */
  readonly #leases = new Map<string, Work>()
  readonly #tasks = new Set<Promise<void>>()
  /** The number of this operator's events: all of a clock that it keeps (D73). */
  #events: bigint
  #session: Session | undefined
  /** Number of results in the outbox, at least: those that were put there since the last session began, and before. */
  #unconfirmed = 0
  /** Aborted when a worker turns out to be away. */
  #alarm = new AbortController()

  constructor(options: DeskOptions) {
    this.#options = options
    this.identity = options.identity
    this.#events = ownEvents(options.clock, toHex(options.identity.address))
    // Heard before the session closes its socket, which began to listen later.
    options.signal.addEventListener('abort', () => this.#giveBack(), { once: true })
  }

  /** Number of jobs in progress. */
  get jobsAtHand(): number {
    return this.#leases.size
  }

  /** Whether any job is in progress. */
  get isBusy(): boolean {
    return this.#leases.size > 0
  }

  /** Resolves after this time, when a worker turns out to be away, or when the signal is aborted. */
  async rest(milliseconds: number, signal: AbortSignal): Promise<void> {
    const early = AbortSignal.any([signal, this.#alarm.signal])
    await sleep(milliseconds, undefined, { signal: early }).catch(() => undefined)
    if (this.#alarm.signal.aborted) this.#alarm = new AbortController()
  }

  /** What can be offered now: the job types whose source responds. Rejects with the last reason when none does. */
  async offer(signal: AbortSignal = this.#options.signal): Promise<Offer> {
    const { sources, slots, log } = this.#options
    const workers: JobType[] = []
    const models = new Set<string>()
    const identities: ModelIdentity[] = []
    let failure: unknown
    for (const [type, source] of sources)
      try {
        const offered = await source.models(signal)
        for (const name of offered.names) models.add(name)
        // A worker speaks for jobs of its type alone.
        identities.push(...offered.identities.filter((identity) => identity.type === type))
        workers.push(type)
      } catch (error) {
        failure = error
        log.debug({ type, reason: messageOf(error) }, 'not ready for jobs of this type')
      }
    if (workers.length === 0) throw failure
    const names = [...models].slice(0, MAX_MODELS)
    return { workers, models: names, identities: identities.slice(0, MAX_IDENTITIES), slots }
  }

  /** The range of this operator in the registry; undefined when it is not registered, or the chain does not respond. */
  async registered(): Promise<SelectionRange | undefined> {
    return this.#options.chain.registeredRange()
  }

  /** Makes a session the one that results go to, and sends it the kept results. */
  async deliver(session: Session): Promise<void> {
    const { outbox, log, signal } = this.#options
    this.#session = session
    const leases = await whileUnavailable(
      async () => {
        await outbox.removeOld()
        return outbox.leases()
      },
      log,
      signal,
    )
    this.#unconfirmed = leases.length
    // One at a time: together they may be larger than the memory.
    for (const lease of leases) {
      const kept = await whileUnavailable(() => outbox.find(lease), log, signal)
      if (kept === undefined) this.#unconfirmed--
      else await session.sendWhenRead(kept)
    }
  }

  /** Handles a message of the dispatcher. Resolves when the next may come; jobs go on after that. */
  async take(order: Order, session: Session): Promise<void> {
    this.#session = session
    if (order.type === 'dispatch') return this.#takeJob(order, session)
    if (order.type === 'stream') return this.#leases.get(order.lease)?.sender.turn(order.on)
    if (order.type === 'halt') return this.#leases.get(order.lease)?.halt.abort()
    const { outbox, metrics, log, signal } = this.#options
    if (order.type === 'notice') return this.#notice(order)
    const { jobId, lease } = order
    await this.#run(async () => {
      // About what was never sent, a dispatcher may say anything.
      if (!(await whileUnavailable(() => outbox.remove(lease), log, signal))) return
      this.#unconfirmed--
      if (order.type === 'recorded') return log.debug({ jobId, lease }, 'a result was recorded')
      const reason = order.reason.slice(0, MAX_REASON)
      log.warn({ jobId, lease, reason }, 'a result was not taken')
      metrics.add('assay_operator_results_rejected_total', {})
      // A count that a dispatcher does not take is of no use: the hand-outs say how far it has to go on from.
      if (reason.includes('clock')) this.#events = 0n
    })
  }

  /** Says which models bring no jobs, because they are not the registered files. */
  #notice({ refused }: Extract<Order, { type: 'notice' }>): void {
    for (const { model, reason } of refused.slice(0, MAX_NOTICES))
      this.#options.log.warn(
        { model, reason: reason.slice(0, MAX_REASON) },
        'the dispatcher refuses a model: put the registered file there, or offer yours under another name',
      )
  }

  /** Resolves when no job or delivery is in progress. */
  async idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks)
  }

  #takeJob(dispatch: Dispatch, session: Session): void {
    if (this.#leases.has(dispatch.lease)) return
    if (this.#leases.size >= this.#options.slots)
      return session.send(refusal(dispatch, 'the operator is at its limit of jobs', true, true))
    // A dispatcher that confirms nothing would fill the disk.
    if (this.#unconfirmed >= MAX_UNCONFIRMED)
      return session.send(refusal(dispatch, 'too many results are not confirmed yet', true, true))
    const work = {
      dispatch,
      sender: createTextSender(dispatch, (piece) => session.sendWhenRead(piece)),
      halt: new AbortController(),
    }
    this.#leases.set(dispatch.lease, work)
    void this.#run(async () => {
      try {
        await this.#work(work, session)
      } catch (error) {
        if (!work.halt.signal.aborted) throw error
        this.#options.log.info({ jobId: dispatch.jobId }, 'gave up a job that was cancelled')
      } finally {
        this.#leases.delete(dispatch.lease)
      }
    })
  }

  async #work(work: Work, session: Session): Promise<void> {
    const { dispatch, sender } = work
    const { outbox, metrics, log, signal } = this.#options
    const { jobId, lease, job } = dispatch
    const began = performance.now()
    const beat = (): void => this.#session?.send({ type: 'heartbeat', leases: [lease] })
    const heartbeat = setInterval(beat, (Math.min(dispatch.leaseSeconds, MAX_LEASE_S) * 1000) / 3)
    try {
      // A lease that is handed out again was answered before, and the answer was lost in transit.
      const kept = await whileUnavailable(() => outbox.find(lease), log, signal)
      const message = kept ?? (await this.#do(work, session))
      sender.close()
      if (message.type === 'result')
        log.info({ jobId, lease, selected: message.selected }, 'finished a job')
      else log.warn({ jobId, lease, reason: message.reason, retry: message.retry }, 'refused a job')
      if (message.type === 'refused' && message.unavailable === true) this.#alarm.abort()
      this.#session?.send(message)
      const seconds = (performance.now() - began) / 1000
      const labels = { type: job.tag, outcome: outcomeOf(message) }
      metrics.observe('assay_operator_job_seconds', labels, seconds)
      this.#options.tracer?.record('job.execute', {
        kind: 'consumer',
        milliseconds: seconds * 1000,
        parent: jobTrace(jobId),
        attributes: {
          'assay.job.id': jobId,
          'assay.job.type': job.tag,
          'assay.job.outcome': labels.outcome,
        },
        isError: labels.outcome === 'refused',
      })
    } finally {
      clearInterval(heartbeat)
    }
  }

  async #do(
    { dispatch, sender, halt }: Work,
    { range, protocol }: Session,
  ): Promise<Result | Refused> {
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
    const clock = this.#nextClock(dispatch.clock)
    if (clock === undefined)
      return refusal(dispatch, "the clock of the hand-out does not fit this operator's event", true)
    const message = await doJob(dispatch, {
      identity,
      range,
      protocol,
      clock,
      sources,
      signal: AbortSignal.any([signal, halt.signal]),
      ...(dispatch.stream === true && { onText: sender.push }),
    })
    if (message.type === 'result') {
      this.#unconfirmed++
      await whileUnavailable(
        () => outbox.put(message, { [toHex(identity.address)]: String(this.#events) }),
        log,
        signal,
      )
    }
    return message
  }

  /**
   * The hand-out's clock with this event of the operator counted, which comes after those that the dispatcher has seen of it.
   * Nothing of what the dispatcher says is kept. Undefined where no sound clock follows it.
   */
  #nextClock(handed: VectorClock): VectorClock | undefined {
    const self = toHex(this.identity.address)
    if (this.#events >= MAX_COUNT) this.#events = 0n
    const next = advanceClock({ [self]: String(this.#events) }, self, handed)
    if (countOf(next, self) > MAX_COUNT || Object.keys(next).length > MAX_PARTICIPANTS)
      return undefined
    this.#events++
    return next
  }

  /** An operator that stops returns its jobs: others need not wait until their leases run out. */
  #giveBack(): void {
    for (const { dispatch } of this.#leases.values())
      this.#session?.send(refusal(dispatch, 'the operator stops', true, true))
  }

  /** Runs a task in the background; a failure is logged and never stops the operator. */
  #run(task: () => Promise<void>): Promise<void> {
    const { log, signal } = this.#options
    const running = task()
      .catch((error: unknown) => {
        if (!signal.aborted) log.error({ reason: messageOf(error) }, 'a job could not be finished')
      })
      .finally(() => this.#tasks.delete(running))
    this.#tasks.add(running)
    return running
  }
}
