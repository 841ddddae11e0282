/** Decides whom the rounds of due jobs are for (D104). */
import { sql, type Transaction } from 'kysely'
import type { Committees } from './committees.ts'
import { jobIs } from './lifecycle/predicates.ts'
import { SESSION_SECONDS } from './sessions.ts'
import { settleJobs } from './settle.ts'
import type { DispatcherSql, DispatcherTables } from './tables.ts'

const BATCH = 200
/** Maximum number of operators that are drawn for a round at once. */
const MAX_DRAWN = 256

export type PlanSettings = {
  /** Number of operators that a round is for at first, unless its project asks for another. */
  readonly committee: number
  readonly maxAttempts: number
  /** Whether jobs wait for the block that their draws are bound to (D32). */
  readonly bindsBlocks?: boolean
}

type Due = {
  readonly id: string
  readonly type: string
  readonly model: string
  readonly round: number
  readonly seed: string
  readonly hash: string
  readonly agree_n: number | null
  readonly drawn: number
}

/** Whom a round was for before: those that answered, and the others. */
type Told = { readonly operators: ReadonlySet<string>; readonly answered: number }

const NOBODY: Told = { operators: new Set(), answered: 0 }

/**
 * Draws operators for every job that is due, and creates one waiting assignment for each. If its project requires that k of n
 * operators agree, n of them are drawn, and the job waits until at least k are connected. Where those of a round brought nothing,
 * the next ones are drawn, more each time; when nobody is left, the round is settled. Jobs that no operator serves are not read,
 * however many wait. Resolves with the number of planned jobs.
 */
export async function planJobs(
  { db }: DispatcherSql,
  committees: Committees,
  settings: PlanSettings,
): Promise<number> {
  await committees.refresh()
  const { committee, maxAttempts } = settings
  if (committees.served().types.length === 0) return 0
  await committees.readLoad(committee)
  return db.transaction().execute(async (transaction) => {
    const due = await readDue(transaction, committees, settings.bindsBlocks ?? false)
    if (due.length === 0) return 0
    const told = await readTold(transaction, due)
    const draws = due.map((job): Draw => {
      const before = told.get(job.id) ?? NOBODY
      const wanted = { ...job, jobId: job.id, blockHash: job.hash }
      const operators = committees.draw(wanted, sizeFor(job, before, committee), before.operators)
      const left = committees.count(job) - before.operators.size - operators.length
      return { job, operators, isSpare: left > 0 }
    })
    const planned = await writeDraws(
      transaction,
      draws.filter(({ operators }) => operators.length > 0),
    )
    const exhausted = draws.filter(({ job, operators }) => operators.length === 0 && job.drawn > 0)
    await settleRounds(
      transaction,
      exhausted.map(({ job }) => job.id),
      maxAttempts,
    )
    const isShort = planned < draws.filter(({ operators }) => operators.length > 0).length
    if (isShort) committees.forget()
    return planned + exhausted.length
  })
}

type Draw = {
  readonly job: Due
  readonly operators: readonly string[]
  /** Whether there are operators that the round is not for. */
  readonly isSpare: boolean
}

/** How many operators are drawn now. */
function sizeFor({ agree_n: wanted }: Due, before: Told, committee: number): number {
  if (wanted !== null) return Math.max(1, wanted - before.answered)
  return Math.min(MAX_DRAWN, Math.max(committee, before.operators.size))
}

async function readDue(
  transaction: Transaction<DispatcherTables>,
  committees: Committees,
  bindsBlocks: boolean,
): Promise<readonly Due[]> {
  const { types, models, counts } = committees.served()
  const { rows } = await sql<Due>`
    select next.* from
      unnest(${types}::text[], ${models}::text[], ${counts}::integer[]) as served(type, model, operators)
      cross join lateral (
        select jobs.id, jobs.type, jobs.model, jobs.round, jobs.seed, jobs.drawn,
          coalesce(jobs.draw_block_hash, '') as hash,
          coalesce(jobs.agree_n, p.agree_n) as agree_n
        from jobs join projects p on p.id = jobs.project
        where not planned and ${jobIs('unfinished')}
          and jobs.type = served.type and jobs.model = served.model
          and run_at <= now() and deadline_at > now()
          and (draw_block_hash is not null or not ${bindsBlocks})
          and served.operators >= coalesce(jobs.agree_k, p.agree_k, 1)
        order by priority desc, run_at limit ${BATCH} for update of jobs skip locked
      ) next`.execute(transaction)
  return rows
}

/** Whom rounds that go on were for. */
async function readTold(
  transaction: Transaction<DispatcherTables>,
  due: readonly Due[],
): Promise<ReadonlyMap<string, Told>> {
  const going = due.filter(({ drawn }) => drawn > 0)
  if (going.length === 0) return new Map()
  const { rows } = await sql<{ job_id: string; operators: string[]; answered: number }>`
    select a.job_id, array_agg(a.operator) as operators,
      (count(*) filter (where a.state = 'answered'))::integer as answered
    from unnest(${going.map(({ id }) => id)}::text[], ${going.map(({ round }) => round)}::integer[])
      as going(id, round)
      join assignments a on a.job_id = going.id and a.round = going.round
    group by a.job_id`.execute(transaction)
  return new Map(
    rows.map(({ job_id, operators, answered }) => [
      job_id,
      { operators: new Set(operators), answered },
    ]),
  )
}

/**
 * Creates the assignments of jobs whose operators are all still connected; the others are drawn again. Resolves with the number of
 * jobs that got theirs.
 */
async function writeDraws(
  transaction: Transaction<DispatcherTables>,
  draws: readonly Draw[],
): Promise<number> {
  const seats = draws.flatMap(({ job, operators, isSpare }) =>
    operators.map((operator) => ({ job, operator, isSpare })),
  )
  if (seats.length === 0) return 0
  const { numAffectedRows } = await sql`
    with drawn as (
      select * from unnest(
        ${seats.map(({ job }) => job.id)}::text[], ${seats.map(({ operator }) => operator)}::text[],
        ${seats.map(({ job }) => job.round)}::integer[], ${seats.map(({ job }) => job.type)}::text[],
        ${seats.map(({ job }) => job.model)}::text[], ${seats.map(({ isSpare }) => isSpare)}::boolean[]
      ) as drawn(job_id, operator, round, type, model, spare)
    ),
    present as (
      select d.job_id, d.operator, d.round from drawn d join sessions s on s.operator = d.operator
      where s.seen_at > now() - ${SESSION_SECONDS} * interval '1 second'
        and d.type = any(s.workers) and d.model = any(s.models)
    ),
    complete as (
      select d.job_id from drawn d left join present p on p.job_id = d.job_id and p.operator = d.operator
      group by d.job_id having count(p.operator) = count(*)
    ),
    assigned as (
      insert into assignments (job_id, operator, round)
      select p.job_id, p.operator, p.round from present p join complete on complete.job_id = p.job_id
      on conflict do nothing returning job_id
    ),
    counted as (
      select a.job_id, count(*) as operators from assigned a group by a.job_id
    )
    update jobs set planned = true, drawn = jobs.drawn + counted.operators,
      spare = (select bool_or(d.spare) from drawn d where d.job_id = jobs.id)
    from counted where jobs.id = counted.job_id`.execute(transaction)
  return Number(numAffectedRows ?? 0n)
}

/** Settles rounds that were for all that there are. */
async function settleRounds(
  transaction: Transaction<DispatcherTables>,
  jobs: readonly string[],
  maxAttempts: number,
): Promise<void> {
  if (jobs.length === 0) return
  await sql`
    update jobs set planned = true, spare = false where id = any(${jobs}::text[])`.execute(
    transaction,
  )
  await settleJobs(transaction, jobs, maxAttempts)
}
