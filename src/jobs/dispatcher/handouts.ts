/**
 * The hand-outs of the operators connected here, and what these have generated so far (D138). Of several operators of a job one
 * speaks; when it is lost, another one goes on, which must begin with the same text.
 */
import type { Piece } from '../protocol.ts'

/** What is kept of one output, and of all together, in UTF-16 units; the rest comes with the result. */
const MAX_TEXT = 1024 * 1024
const MAX_HELD = 64 * 1024 * 1024
/** Hand-outs of one operator: more than it has slots, since some of them may have run out. */
const MAX_OF_ONE = 1024

/** A hand-out of an operator connected here. */
export type Held = {
  readonly jobId: string
  readonly lease: string
  readonly operator: string
  /** Whether it sends text. */
  readonly streams: boolean
}

/** The output of a job so far. */
export type Spoken = {
  readonly text: string
  /** Whether an operator went on with another text than the one before it had begun. */
  readonly isTorn: boolean
}

type Job = {
  readonly held: Map<string, Held>
  readonly watchers: Set<() => void>
  speaker: string | undefined
  /** How far the speaker has come. */
  at: number
  text: string
  isTorn: boolean
}

export class Handouts {
  readonly #jobs = new Map<string, Job>()
  readonly #byOperator = new Map<string, Set<Held>>()
  #size = 0

  /** Notes a hand-out. */
  begin(held: Held): void {
    const own = this.#byOperator.get(held.operator) ?? new Set()
    const [oldest] = own
    if (oldest !== undefined && own.size >= MAX_OF_ONE) this.end(oldest, false)
    this.#byOperator.set(held.operator, own.add(held))
    this.#job(held.jobId).held.set(held.lease, held)
  }

  /** Takes a piece. Returns whether further ones of this hand-out are wanted. */
  take(operator: string, { jobId, lease, at, text }: Piece): boolean {
    const job = this.#jobs.get(jobId)
    const held = job?.held.get(lease)
    if (job === undefined || held?.operator !== operator || !held.streams) return false
    job.speaker ??= lease
    if (job.speaker !== lease || at !== job.at || job.isTorn) return false
    const known = job.text.slice(at, at + text.length)
    const added = text.slice(known.length)
    if (!text.startsWith(known)) job.isTorn = true
    else if (job.text.length + added.length > MAX_TEXT || this.#size + added.length > MAX_HELD)
      return false
    else {
      job.text += added
      this.#size += added.length
      job.at += text.length
    }
    for (const watcher of job.watchers) watcher()
    return !job.isTorn
  }

  /** Forgets a hand-out that is over. Returns the one that speaks next, if its operator was the speaker and gave no answer. */
  end({ jobId, lease }: Pick<Held, 'jobId' | 'lease'>, isAnswered: boolean): Held | undefined {
    const job = this.#jobs.get(jobId)
    const held = job?.held.get(lease)
    if (job === undefined || held === undefined) return undefined
    job.held.delete(lease)
    const own = this.#byOperator.get(held.operator)
    own?.delete(held)
    if (own?.size === 0) this.#byOperator.delete(held.operator)
    const wasSpeaker = job.speaker === lease
    this.#tidy(jobId, job)
    if (!wasSpeaker || isAnswered) return undefined
    job.speaker = undefined
    job.at = 0
    return [...job.held.values()].find(({ streams }) => streams)
  }

  /** The hand-outs of a job. */
  of(jobId: string): readonly Held[] {
    return [...(this.#jobs.get(jobId)?.held.values() ?? [])]
  }

  /** All hand-outs of an operator. */
  by(operator: string): readonly Held[] {
    return [...(this.#byOperator.get(operator) ?? [])]
  }

  /** Calls back whenever there is more text of a job, until the returned function is called. */
  watch(jobId: string, onText: () => void): () => void {
    const job = this.#job(jobId)
    job.watchers.add(onText)
    return () => {
      job.watchers.delete(onText)
      this.#tidy(jobId, job)
    }
  }

  /** What a job's operators have generated so far. */
  spoken(jobId: string): Spoken {
    const { text = '', isTorn = false } = this.#jobs.get(jobId) ?? {}
    return { text, isTorn }
  }

  #job(jobId: string): Job {
    const known = this.#jobs.get(jobId)
    if (known !== undefined) return known
    const job: Job = {
      held: new Map(),
      watchers: new Set(),
      speaker: undefined,
      at: 0,
      text: '',
      isTorn: false,
    }
    this.#jobs.set(jobId, job)
    return job
  }

  #tidy(jobId: string, job: Job): void {
    if (job.held.size > 0 || job.watchers.size > 0) return
    if (this.#jobs.get(jobId) === job && this.#jobs.delete(jobId)) this.#size -= job.text.length
  }
}
