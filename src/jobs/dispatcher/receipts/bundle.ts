/** Receipt bundles from the database (proof/bundle/format.ts). */
import { messageOf } from '../../../base/errors.ts'
import { toHex } from '../../../base/hex.ts'
import type { Log } from '../../../base/log.ts'
import { formatOf, type AnchorJson, type BundleJson } from '../../../proof/bundle/format.ts'
import { JOB_ID, type VectorClock } from '../../../proof/job/job.ts'
import { receiptDigest, type Receipt } from '../../../proof/job/receipt.ts'
import type { RecordDomain } from '../../../proof/job/typedStruct.ts'
import { signDigest } from '../../signature.ts'
import type { DispatcherChain } from '../chain.ts'
import type { Identity } from '../key.ts'
import { paramsOf, submittedJob } from '../schemas.ts'
import type { DispatcherSql } from '../tables.ts'
import type { JobSource } from '../archive/archive.ts'
import { place, type Vault } from '../vault/vault.ts'
import { anchorProof, treePath } from './anchorProof.ts'

export type BundleSource = {
  readonly sql: DispatcherSql
  readonly vault: Vault
  readonly identity: Identity
  readonly domain: RecordDomain
  readonly chain: DispatcherChain | undefined
  readonly log: Log
}

type Answer = BundleJson['answers'][number]

/**
 * The bundle of a job; undefined when the job does not exist (or, with `project`, is not of this project), or has no
 * receipt. `jobs` is where it is read from.
 */
export async function buildBundle(
  source: BundleSource,
  id: string,
  project?: string,
  jobs: JobSource = source.sql.db,
): Promise<BundleJson | undefined> {
  const { vault, domain } = source
  if (!JOB_ID.test(id)) return undefined
  const job = await jobs
    .selectFrom('jobs')
    .select(['project', 'request'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (job === undefined || (project !== undefined && job.project !== project)) return undefined
  const request = await vault.open(job.project, place.request(id), job.request)
  const params = paramsOf(submittedJob.parse(JSON.parse(request.toString())))
  const rows = await readResults(jobs, id)
  const answers: Answer[] = []
  for (const row of rows) {
    const { receipt, leaf, assigned } = row
    if (receipt === null || leaf === null || assigned === null) continue
    const output = await vault.open(job.project, place.output(row.verify_id), row.output)
    const anchor = await anchorOf(source, leaf, receipt)
    answers.push({
      receipt,
      // The same each time, at every replica: signatures are deterministic (RFC 6979).
      dispatcherSignature: signDigest(receiptDigest(receipt, domain), source.identity.privateKey),
      statement: row.statement,
      operatorSignature: row.signature,
      vrf: row.vrf,
      jobClock: mutable(assigned),
      clock: mutable(row.clock),
      params,
      output: output.toString(),
      ...(row.evidence !== null && { evidence: row.evidence }),
      ...(anchor !== undefined && { anchor }),
    })
  }
  if (answers.length === 0) return undefined
  const { chainId, dispatcher } = domain
  return { format: formatOf(answers), chainId: String(chainId), dispatcher, jobId: id, answers }
}

function readResults(jobs: JobSource, id: string) {
  return jobs
    .selectFrom('results as r')
    .innerJoin('assignments as a', (join) =>
      join
        .onRef('a.job_id', '=', 'r.job_id')
        .onRef('a.operator', '=', 'r.operator')
        .onRef('a.round', '=', 'r.round'),
    )
    .select(['r.verify_id', 'r.output', 'r.vrf', 'r.clock', 'r.signature', 'r.statement'])
    .select(['r.evidence', 'r.receipt', 'r.leaf', 'a.clock as assigned'])
    .where('r.job_id', '=', id)
    .orderBy('r.round')
    .orderBy('r.created_at')
    .orderBy('r.operator')
    .execute()
}

/** The anchor of a receipt, with as much of its proof as the chain provides now. */
async function anchorOf(
  { sql, chain, domain, log }: BundleSource,
  leaf: Buffer,
  receipt: Receipt,
): Promise<AnchorJson | undefined> {
  const place = chain && (await treePath(sql, leaf))
  if (chain === undefined || place === undefined) return undefined
  const contract = toHex(chain.options.receiptsContract)
  try {
    const proof = await anchorProof(chain, domain.dispatcher, place, receipt)
    return { contract, ...place.path, ...(proof !== undefined && { proof }) }
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'the chain provides no proof of an anchor')
    return { contract, ...place.path }
  }
}

function mutable(clock: VectorClock): Record<string, string> {
  return { ...clock }
}

/** The steps of a job's executions, as far as operators sent them; undefined when `buildBundle` returns undefined. */
export async function readTraces(
  { sql, vault }: BundleSource,
  id: string,
  project?: string,
  jobs: JobSource = sql.db,
): Promise<{ operator: string; round: number; trace: string }[] | undefined> {
  if (!JOB_ID.test(id)) return undefined
  const job = await jobs
    .selectFrom('jobs')
    .select('project')
    .where('id', '=', id)
    .executeTakeFirst()
  if (job === undefined || (project !== undefined && job.project !== project)) return undefined
  const rows = await jobs
    .selectFrom('results')
    .select(['verify_id', 'operator', 'round', 'trace'])
    .where('job_id', '=', id)
    .where('trace', 'is not', null)
    .orderBy('round')
    .orderBy('operator')
    .execute()
  return Promise.all(
    rows.map(async ({ verify_id: verifyId, operator, round, trace }) => {
      const opened = await vault.open(job.project, place.trace(verifyId), trace ?? Buffer.alloc(0))
      return { operator, round, trace: opened.toString('base64') }
    }),
  )
}
