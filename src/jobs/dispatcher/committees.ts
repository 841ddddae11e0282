/** Connected operators in memory, by what they can do: whom a round of a job is for follows without a look at all of them (D104). */
import { sql } from 'kysely'
import { parseModelReference } from '../../base/modelName.ts'
import {
  drawOrder,
  firstFrom,
  seatOf,
  WINDOW,
  type CommitteeSeed,
  type Seat,
} from '../../proof/committee.ts'
import { SESSION_SECONDS } from './sessions.ts'
import type { DispatcherSql } from './tables.ts'

/** A session that is in the database, with a change of less than this age, may not have been visible when others were read. */
const OVERLAP_SECONDS = 6
/** Interval at which all sessions are read: until then, operators that left other replicas are still drawn, and passed over. */
const REREAD_MS = 10_000
/** Interval at which sessions that changed are read without news of any. */
const LOOK_MS = 250
/** Age of the counts of hand-outs. */
const LOAD_MS = 1000

type Row = {
  readonly operator: string
  readonly session: string
  readonly workers: readonly string[]
  readonly models: readonly string[]
  readonly slots: number
}
type Member = Row & { readonly seat: Seat }

/** Job types and models that operators serve, with the number of these operators: three lists of one length. */
export type Served = {
  readonly types: readonly string[]
  readonly models: readonly string[]
  readonly counts: readonly number[]
}

/** A job of a type for a model, and its round. */
export type Wanted = CommitteeSeed & { readonly type: string; readonly model: string }

export class Committees {
  readonly #sql: DispatcherSql
  readonly #members = new Map<string, Member>()
  /** Seats by type and model, sorted by place. */
  readonly #rings = new Map<string, Seat[]>()
  /** By type and name: the files that pins may mean, with the number of operators that serve them. */
  readonly #files = new Map<string, Map<string, number>>()
  #load = new Map<string, number>()
  #loadReadAt = Number.NEGATIVE_INFINITY
  #readAt = Number.NEGATIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #hasNews = true

  constructor(store: DispatcherSql) {
    this.#sql = store
  }

  /** Says that operators came, left, or can do something else than before. */
  changed(): void {
    this.#hasNews = true
  }

  /** Says that operators were drawn that are not there any more. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY
  }

  /** Reads what has changed in the database; everything, now and then. */
  async refresh(): Promise<void> {
    const began = performance.now()
    const isOld = began - this.#readAt > REREAD_MS
    if (!isOld && !this.#hasNews && began - this.#lookedAt < LOOK_MS) return
    this.#hasNews = false
    this.#lookedAt = began
    const recent = isOld
      ? sql`true`
      : sql`changed_at > now() - ${OVERLAP_SECONDS} * interval '1 second'`
    const { rows } = await sql<Row>`
      select operator, session, workers, models, slots from sessions
      where seen_at > now() - ${SESSION_SECONDS} * interval '1 second' and ${recent}`.execute(
      this.#sql.db,
    )
    if (isOld) {
      const present = new Set(rows.map(({ operator }) => operator))
      for (const member of this.#members.values())
        if (!present.has(member.operator)) this.#remove(member)
      this.#readAt = began
    }
    for (const row of rows) this.#put(row)
  }

  /** What can be done now. */
  served(): Served {
    const pairs = [...this.#rings].map(([key, ring]) => ({ key, count: ring.length }))
    return {
      types: pairs.map(({ key }) => key.slice(0, key.indexOf(' '))),
      models: pairs.map(({ key }) => key.slice(key.indexOf(' ') + 1)),
      counts: pairs.map(({ count }) => count),
    }
  }

  /** Number of operators that can do a job. */
  count({ type, model }: Pick<Wanted, 'type' | 'model'>): number {
    return this.#rings.get(pair(type, model))?.length ?? 0
  }

  /** SHA-256 of the files that operators state for a name, 64 digits each, sorted. */
  filesOf({ type, model }: Pick<Wanted, 'type' | 'model'>): readonly string[] {
    return [...(this.#files.get(pair(type, model))?.keys() ?? [])].sort()
  }

  /**
   * The next operators for a round, at most `size` of them, besides those that it was for already. Where there are more, those
   * whose slots are taken come last among those that are ranked together.
   */
  draw(job: Wanted, size: number, told: ReadonlySet<string> = new Set()): readonly string[] {
    const ring = this.#rings.get(pair(job.type, job.model)) ?? []
    const free: string[] = []
    const busy: string[] = []
    const hasChoice = ring.length - told.size > size
    for (const operator of drawOrder(job, ring)) {
      if (told.has(operator)) continue
      if (hasChoice && this.#isBusy(operator)) busy.push(operator)
      else free.push(operator)
      const seen = free.length + busy.length
      if (free.length === size || seen >= Math.max(size, WINDOW)) break
    }
    const drawn = [...free, ...busy].slice(0, size)
    for (const operator of drawn) this.#load.set(operator, (this.#load.get(operator) ?? 0) + 1)
    return drawn
  }

  /** Reads how many hand-outs each operator has and waits for, where there is a choice between operators. */
  async readLoad(size: number): Promise<void> {
    if (this.#members.size <= size || performance.now() - this.#loadReadAt < LOAD_MS) return
    this.#loadReadAt = performance.now()
    const { rows } = await sql<{ operator: string; count: bigint }>`
      select operator, count(*) as count from (
        select operator from assignments where state = 'waiting'
        union all select operator from assignments where state = 'open'
      ) pending group by operator`.execute(this.#sql.db)
    this.#load = new Map(rows.map(({ operator, count }) => [operator, Number(count)]))
  }

  #isBusy(operator: string): boolean {
    return (this.#load.get(operator) ?? 0) >= (this.#members.get(operator)?.slots ?? 0)
  }

  #put(row: Row): void {
    const known = this.#members.get(row.operator)
    if (known !== undefined && isSame(known, row)) return
    if (known !== undefined) this.#remove(known)
    const member = { ...row, seat: known?.seat ?? seatOf(row.operator) }
    this.#members.set(row.operator, member)
    this.#countFiles(member, 1)
    for (const key of keysOf(member)) {
      const ring = this.#rings.get(key)
      if (ring === undefined) this.#rings.set(key, [member.seat])
      else ring.splice(firstFrom(ring, member.seat.place), 0, member.seat)
    }
  }

  #remove(member: Member): void {
    this.#members.delete(member.operator)
    this.#countFiles(member, -1)
    for (const key of keysOf(member)) {
      const ring = this.#rings.get(key) ?? []
      ring.splice(firstFrom(ring, member.seat.place), 1)
      if (ring.length === 0) this.#rings.delete(key)
    }
  }

  #countFiles({ workers, models }: Member, change: 1 | -1): void {
    for (const model of models) {
      const { name = model, sha256 } = parseModelReference(model) ?? {}
      if (sha256 === undefined) continue
      for (const type of workers) {
        const key = pair(type, name)
        const files = this.#files.get(key) ?? new Map<string, number>()
        const digits = sha256.slice(2)
        const count = (files.get(digits) ?? 0) + change
        if (count > 0) this.#files.set(key, files.set(digits, count))
        else files.delete(digits)
        if (files.size === 0) this.#files.delete(key)
      }
    }
  }
}

const pair = (type: string, model: string): string => `${type} ${model}`

function keysOf({ workers, models }: Row): ReadonlySet<string> {
  return new Set(workers.flatMap((type) => models.map((model) => pair(type, model))))
}

function isSame(one: Row, other: Row): boolean {
  const shape = ({ workers, models, slots }: Row) => JSON.stringify([workers, models, slots])
  return shape(one) === shape(other)
}
