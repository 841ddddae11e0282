/** Records what an operator sent, exactly once (D29): the result and the job's new state are one transaction, of few statements (D153). */
import { sql, type RawBuilder, type Transaction } from 'kysely'
import type { DrawBlock, JobSpec } from '../../proof/job/job.ts'
import type { Result } from '../protocol.ts'
import { clockHash } from '../../proof/job/hashes.ts'
import { evidenceHash, NO_HASH, receiptDigest, type Receipt } from '../../proof/job/receipt.ts'
import type { Statement } from '../../proof/job/statement.ts'
import type { RecordDomain } from '../../proof/job/typedStruct.ts'
import type { Checked, Known } from './check.ts'
import { countEvent } from './clocks.ts'
import { jobIs } from './lifecycle/predicates.ts'
import { isAnswerable, isFinished, isRecorded } from './lifecycle/states.ts'
import type { Handout } from './schedule.ts'
import { paramsOf, promptOf, submittedJob, type SubmittedJob } from './schemas.ts'
import { settleJobs } from './settle.ts'
import { IS_METERED } from './submit/tokenLimits.ts'
import type { DispatcherSql, DispatcherTables } from './tables.ts'
import { place, type Vault } from './vault/vault.ts'

/** Outcome of a message about a lease. `late`: the hand-out is over; `repeated`: it was already recorded. */
export type Recording = 'recorded' | 'repeated' | 'late'

/** A recording, and whether its job is to be planned again. */
export type Recorded = { readonly recording: Recording; readonly goesOn: boolean }

type StoredJob = { readonly id: string; readonly project: string; readonly request: Buffer }

/** A stored job as it was submitted. Throws SealError. */
export async function readJob(vault: Vault, stored: StoredJob): Promise<SubmittedJob> {
  const request = await vault.open(stored.project, place.request(stored.id), stored.request)
  return submittedJob.parse(JSON.parse(request.toString()))
}

/** What operators are asked for a job. */
export function jobSpec(job: SubmittedJob): JobSpec {
  return { tag: job.tag, prompt: promptOf(job), model: job.model, params: paramsOf(job) }
}

/** The block that the draws of a hand-out are bound to; none for operators that speak protocol 1. */
export function drawBlockOf({
  protocol,
  draw_block: number,
  draw_block_hash: hash,
}: Pick<Handout, 'protocol' | 'draw_block' | 'draw_block_hash'>): DrawBlock | undefined {
  if (protocol === 1 || number === null || hash === null) return undefined
  return { number: Number(number), hash }
}

/** The hand-out under an operator's lease, if it can still be answered. */
export async function findHandout(
  { db }: DispatcherSql,
  vault: Vault,
  operator: string,
  lease: string,
): Promise<Known | Exclude<Recording, 'recorded'>> {
  const row = await db
    .selectFrom('assignments as a')
    .innerJoin('jobs as j', 'j.id', 'a.job_id')
    .innerJoin('operators as o', 'o.address', 'a.operator')
    .select(['a.job_id', 'a.state', 'a.clock', 'a.round', 'j.round as current', 'j.state as stage'])
    .select(['j.project', 'j.request', 'j.seed', 'j.tag', 'j.position'])
    .select(['a.protocol', 'j.draw_block', 'j.draw_block_hash', 'j.request_hash'])
    .select(sql<bigint>`extract(epoch from j.created_at)::bigint`.as('created'))
    .select(['o.range_start', 'o.range_end', 'o.range_max'])
    .where('a.lease', '=', lease)
    .where('a.operator', '=', operator)
    .executeTakeFirst()
  if (row === undefined || row.clock === null) return 'late'
  if (isRecorded(row.state)) return 'repeated'
  // Work under an expired lease still counts until the next round.
  if (!isAnswerable(row.state) || isFinished(row.stage) || row.round !== row.current) return 'late'
  return {
    jobId: row.job_id,
    operator,
    job: jobSpec(
      await readJob(vault, { id: row.job_id, project: row.project, request: row.request }),
    ),
    requestHash: row.request_hash?.toString('hex') ?? '00'.repeat(32),
    round: row.round,
    seed: row.seed,
    protocol: row.protocol,
    block: drawBlockOf(row),
    createdAt: Number(row.created),
    tag: row.tag,
    position: row.position,
    range: {
      start: Number(row.range_start),
      end: Number(row.range_end),
      max: Number(row.range_max),
    },
    clock: row.clock,
  }
}

/** Records a verified result and its receipt. The job's clock counts it as an event of the dispatcher. */
export function recordResult(
  sqlStore: DispatcherSql,
  vault: Vault,
  result: Result,
  checked: Checked,
  context: {
    readonly operator: string
    readonly known: Known
    readonly domain: RecordDomain
    readonly maxAttempts: number
    /** Called within the transaction with the first answer of the job. */
    readonly onFirst?: (statement: Statement, handout: { readonly isMetered: boolean }) => void
  },
): Promise<Recorded> {
  const { operator, known, domain, maxAttempts, onFirst } = context
  return closing(sqlStore, operator, result.lease, maxAttempts, async (transaction, handout) => {
    const key = { job_id: handout.job, operator, round: handout.round }
    const vrf = JSON.stringify(result.vrf)
    const draw = transaction.insertInto('draws').values({ ...key, vrf })
    const writes = [
      sql`drawn as (${draw})`,
      ...countEvent(domain.dispatcher, { operator, handout, clock: result.clock }),
    ]
    if (checked.answer !== undefined && result.answer !== undefined) {
      const { output, signature, statement, evidence, trace } = result.answer
      const { verifyId } = checked.answer
      // The job's row is locked, so no other answer comes in between.
      if (!handout.isAnswered) onFirst?.(statement, handout)
      const receipt = receiptOf(known, checked.answer.verifyId, evidence, handout.now)
      const leaf = Buffer.from(receiptDigest(receipt, domain))
      const row = {
        ...key,
        verify_id: verifyId,
        output: await vault.seal(handout.project, place.output(verifyId), Buffer.from(output)),
        trace:
          trace === undefined
            ? null
            : await vault.seal(
                handout.project,
                place.trace(verifyId),
                Buffer.from(trace, 'base64'),
              ),
        vrf,
        clock: JSON.stringify(result.clock),
        signature,
        statement: JSON.stringify(statement),
        evidence: evidence === undefined ? null : JSON.stringify(evidence),
        evidence_level: checked.answer.evidenceLevel,
        tag: handout.tag,
        receipt: JSON.stringify(receipt),
        leaf,
      }
      writes.push(
        sql`left_receipt as (${transaction.insertInto('receipts').values({ leaf })})`,
        sql`answer as (${transaction.insertInto('results').values(row)})`,
      )
    }
    return { state: checked.selected ? 'answered' : 'unselected', reason: '', writes }
  })
}

function receiptOf(
  known: Known,
  verifyId: string,
  evidence: NonNullable<Result['answer']>['evidence'],
  recordedAt: number,
): Receipt {
  const { range, block } = known
  return {
    jobId: `0x${known.jobId}`,
    requestHash: `0x${known.requestHash}`,
    model: known.job.model,
    operator: known.operator,
    round: known.round,
    seed: `0x${known.seed}`,
    drawBlock: block?.number ?? 0,
    drawBlockHash: block === undefined ? NO_HASH : `0x${block.hash}`,
    tag: known.tag,
    position: known.position,
    rangeStart: range.start,
    rangeEnd: range.end,
    rangeMax: range.max,
    jobClockHash: clockHash(known.clock),
    statementHash: `0x${verifyId}`,
    evidenceHash: evidenceHash(evidence),
    recordedAt,
  }
}

/**
 * Records that an operator did not do a job: it refused, or its result is invalid. With `retry`, the job is handed out
 * again; without it, this operator is considered unable to do the job. If it was `unavailable`, that is no attempt (D102).
 */
export function recordFailure(
  sqlStore: DispatcherSql,
  failure: {
    readonly operator: string
    readonly lease: string
    readonly reason: string
    readonly retry: boolean
    readonly unavailable?: boolean
  },
  maxAttempts: number,
): Promise<Recorded> {
  const { operator, lease, retry, unavailable = false } = failure
  const counted = retry && unavailable ? 'postponed' : 'failures'
  // PostgreSQL's text cannot contain U+0000.
  const reason = failure.reason.replaceAll('\0', '')
  return closing(sqlStore, operator, lease, maxAttempts, async (transaction, handout) => {
    if (retry)
      await transaction
        .updateTable('jobs')
        .set((row) => ({ [counted]: row(counted, '+', 1) }))
        .where('id', '=', handout.job)
        .execute()
    return { state: retry ? 'lost' : 'refused', reason }
  })
}

type Open = Pick<DispatcherTables['jobs'], 'tag'> & {
  readonly job: string
  readonly project: string
  readonly round: number
  readonly clock: Readonly<Record<string, string>>
  /** Whether the job has an answer already. */
  readonly isAnswered: boolean
  /** Whether the project's tokens are counted. */
  readonly isMetered: boolean
  /** The database's clock, in seconds since 1970. */
  readonly now: number
}

/** What becomes of a hand-out; `writes` are common table expressions, written together with it. */
type Outcome = {
  readonly state: 'answered' | 'unselected' | 'refused' | 'lost'
  readonly reason: string
  readonly writes?: readonly RawBuilder<unknown>[]
}

/** Closes a hand-out in one transaction. The job's row is locked first, as everywhere, so that no two transactions deadlock. */
function closing(
  { db }: DispatcherSql,
  operator: string,
  lease: string,
  maxAttempts: number,
  work: (transaction: Transaction<DispatcherTables>, handout: Open) => Promise<Outcome>,
): Promise<Recorded> {
  return db.transaction().execute(async (transaction) => {
    const job = await transaction
      .selectFrom('jobs')
      .select(['id', 'project', 'round', 'tag', 'clock'])
      .select(sql<bigint>`extract(epoch from now())::bigint`.as('now'))
      .where('id', '=', (row) =>
        row.selectFrom('assignments').select('job_id').where('lease', '=', lease),
      )
      .where(jobIs('unfinished'))
      .forUpdate()
      .executeTakeFirst()
    const assignment = await transaction
      .selectFrom('assignments as a')
      .innerJoin('jobs as j', 'j.id', 'a.job_id')
      .select(['a.state', 'a.round'])
      .select(sql<boolean>`exists (select from results r where r.job_id = a.job_id)`.as('answered'))
      .select(IS_METERED.as('metered'))
      .where('a.lease', '=', lease)
      .where('a.operator', '=', operator)
      .executeTakeFirst()
    if (assignment === undefined) return { recording: 'late', goesOn: false }
    if (isRecorded(assignment.state)) return { recording: 'repeated', goesOn: false }
    if (job === undefined || assignment.round !== job.round || !isAnswerable(assignment.state))
      return { recording: 'late', goesOn: false }
    const { id, project, round, tag, clock, now } = job
    const { answered: isAnswered, metered: isMetered } = assignment
    const handout = { job: id, project, round, tag, clock, isAnswered, isMetered, now: Number(now) }
    const { state, reason, writes = [] } = await work(transaction, handout)
    const ending = transaction
      .updateTable('assignments')
      .set({ state, reason })
      .where('lease', '=', lease)
    await (writes.length === 0 ? sql`${ending}` : sql`with ${sql.join(writes)} ${ending}`).execute(
      transaction,
    )
    const goesOn = await settleJobs(transaction, [id], maxAttempts)
    return { recording: 'recorded', goesOn }
  })
}
