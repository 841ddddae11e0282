/**
 * Stores jobs: those that arrive together share one transaction. Once a submission resolves, its job cannot be lost
 * (D29).
 */
import { sql, type Transaction } from 'kysely'
import { reviewJobs, type Review } from '../review/watch.ts'
import type { DispatcherSql, DispatcherTables } from '../tables.ts'
import { place, type Vault } from '../vault/vault.ts'
import { claimKeys, releaseKeys } from './idempotency.ts'
import { countAgainstQuotas, limitRates, type Refusals } from './limits.ts'
import { microBatch, type Outcome } from './microBatch.ts'
import type { NewJob } from './newJob.ts'
import { limitTokens } from './tokenLimits.ts'

const BATCH = { limit: 200, parallel: 2, enough: 40 }

export type Submitter = {
  /**
   * Stores a job and resolves with its id, or with that of the job that its key identifies. Rejects with ApiError (422,
   * 429).
   */
  submit(job: NewJob): Promise<string>
}

/** Creates the submission queue. `dispatcher` is the address under which the dispatcher's events are counted. */
export function openSubmitter(store: DispatcherSql, vault: Vault, dispatcher: string): Submitter {
  const storeJob = microBatch<NewJob, string>(async (jobs) => {
    const exhausted = await limitTokens(store, jobs)
    const rated = jobs.filter((job) => !exhausted.has(job))
    const refused = new Map([...exhausted, ...(await limitRates(store, rated))])
    const admitted = jobs.filter((job) => !refused.has(job))
    const outcomes =
      admitted.length === 0
        ? new Map<NewJob, Outcome<string>>()
        : await store.db.transaction().execute((transaction) => storeJobs(transaction, admitted))
    return jobs.map((job) => outcomes.get(job) ?? refusal(refused, job))
  }, BATCH)

  async function storeJobs(
    transaction: Transaction<DispatcherTables>,
    jobs: readonly NewJob[],
  ): Promise<ReadonlyMap<NewJob, Outcome<string>>> {
    const settled = await claimKeys(transaction, jobs)
    const fresh = jobs.filter((job) => !settled.has(job))
    const refused = await countAgainstQuotas(transaction, fresh)
    await releaseKeys(transaction, [...refused.keys()])
    const stored = fresh.filter((job) => !refused.has(job))
    if (stored.length > 0)
      await insertJobs(transaction, stored, await reviewJobs(transaction, stored))
    return new Map(
      jobs.map((job) => [
        job,
        settled.get(job) ?? (refused.has(job) ? refusal(refused, job) : { value: job.id }),
      ]),
    )
  }

  async function insertJobs(
    transaction: Transaction<DispatcherTables>,
    jobs: readonly NewJob[],
    reviews: ReadonlyMap<NewJob, Review>,
  ): Promise<void> {
    await sql`
      insert into jobs
        (id, project, user_id, tag, position, type, model, request, request_hash, seed, priority,
          submitted_tag, agree_k, agree_n, clock, deadline_at)
      select id, project, user_id, tag, position, type, model, request, request_hash, seed, priority,
        submitted_tag, agree_k, agree_n,
        json_build_object(${dispatcher}::text, nextval('dispatcher_clock')::text),
        now() + deadline_ms * interval '1 millisecond'
      from unnest(
        ${jobs.map(({ id }) => id)}::text[], ${jobs.map(({ caller }) => caller.project)}::text[],
        ${jobs.map(({ user }) => user)}::bytea[], ${jobs.map((job) => reviews.get(job)?.tag)}::text[],
        ${jobs.map((job) => reviews.get(job)?.position)}::text[],
        ${jobs.map(({ type }) => type)}::text[], ${jobs.map(({ model }) => model)}::text[],
        ${jobs.map(({ request }) => request)}::bytea[],
        ${jobs.map(({ fingerprint }) => fingerprint)}::bytea[], ${jobs.map(({ seed }) => seed)}::text[],
        ${jobs.map(({ priority }) => priority)}::smallint[], ${jobs.map(({ tag }) => tag)}::text[],
        ${jobs.map(({ agree }) => agree?.k ?? null)}::smallint[],
        ${jobs.map(({ agree }) => agree?.n ?? null)}::smallint[],
        ${jobs.map(({ deadlineMs }) => deadlineMs)}::float8[]
      ) as new(id, project, user_id, tag, position, type, model, request, request_hash, seed, priority,
        submitted_tag, agree_k, agree_n, deadline_ms)`.execute(transaction)
  }

  return {
    async submit(job) {
      const at = place.request(job.id)
      return storeJob({ ...job, request: await vault.seal(job.caller.project, at, job.request) })
    },
  }
}

function refusal(refusals: Refusals, job: NewJob): Outcome<string> {
  return { error: refusals.get(job) ?? new Error('a job was neither stored nor refused') }
}
