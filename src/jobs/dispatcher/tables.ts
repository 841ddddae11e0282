/** Column types of the dispatcher's tables, as seen by kysely and the driver (migrations.ts). */
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { ReviewPosition, ReviewTag } from '../../proof/vrfSelection.ts'
import type { Sql } from '../../store/sql/open.ts'
import type { JobState, JobType, VectorClock, VrfRecord } from '../../proof/job/job.ts'
import type { Receipt } from '../../proof/job/receipt.ts'
import type { Statement } from '../../proof/job/statement.ts'
import type { AssignmentState } from './lifecycle/assignments.ts'
import type { RefusedModel, StoredOffer } from './identities/judge.ts'
import type { Protocol, Result } from '../protocol.ts'

/** Set by the database's clock. */
type Time = ColumnType<Date, never, never>
type EvidenceRecord = NonNullable<NonNullable<Result['answer']>['evidence']>

export type ProjectTable = {
  id: string
  name: string
  jobs_per_minute: Generated<number | null>
  token_jobs_per_minute: Generated<number | null>
  jobs_per_day: Generated<number | null>
  tokens_per_minute: Generated<number | null>
  agree_k: Generated<number | null>
  agree_n: Generated<number | null>
  webhook_url: Generated<string | null>
  webhook_secret: Generated<Buffer | null>
  created_at: Time
}

export type WebhookDeliveryTable = {
  id: Generated<string>
  project: string
  job_id: string
  state: string
  reason: string
  finished_at: ColumnType<Date, never, never>
  attempts: Generated<number>
  run_at: ColumnType<Date, never, unknown>
  outcome: Generated<'waiting' | 'delivered' | 'given up'>
  error: Generated<string>
}

export type JobTable = {
  id: string
  project: string
  user_id: Buffer
  tag: ReviewTag
  submitted_tag: ReviewTag | null
  position: Generated<ReviewPosition>
  type: JobType
  model: string
  request: Buffer
  seed: string
  request_hash: Buffer | null
  draw_block: ColumnType<bigint | null, never, bigint | null>
  draw_block_hash: ColumnType<string | null, never, string | null>
  round: Generated<number>
  planned: Generated<boolean>
  failures: Generated<number>
  postponed: Generated<number>
  drawn: Generated<number>
  agree_k: Generated<number | null>
  agree_n: Generated<number | null>
  spare: Generated<boolean>
  priority: Generated<number>
  state: Generated<JobState>
  reason: Generated<string>
  clock: JSONColumnType<VectorClock>
  run_at: ColumnType<Date, never, unknown>
  deadline_at: ColumnType<Date, unknown, unknown>
  dispatched_at: ColumnType<Date | null, never, unknown>
  finished_at: ColumnType<Date | null, never, unknown>
  created_at: Time
}

export type AssignmentTable = {
  job_id: string
  operator: string
  round: number
  state: Generated<AssignmentState>
  lease: string | null
  lease_until: ColumnType<Date | null, never, unknown>
  clock: JSONColumnType<VectorClock> | null
  protocol: Generated<Protocol>
  reason: Generated<string>
  created_at: Time
}

export type DrawTable = {
  job_id: string
  operator: string
  round: number
  vrf: JSONColumnType<VrfRecord>
  created_at: Time
}

export type ResultTable = {
  verify_id: string
  job_id: string
  operator: string
  round: number
  output: Buffer
  vrf: JSONColumnType<VrfRecord>
  clock: JSONColumnType<VectorClock>
  signature: string
  statement: JSONColumnType<Statement>
  evidence: JSONColumnType<EvidenceRecord> | null
  evidence_level: 'none' | 'hardware' | 'software-insecure'
  trace: Buffer | null
  receipt: JSONColumnType<Receipt> | null
  leaf: Buffer | null
  tag: ReviewTag
  created_at: Time
}

export type OperatorTable = {
  address: string
  range_start: bigint
  range_end: bigint
  range_max: bigint
  events: Generated<bigint>
  other_files: Generated<bigint>
  first_seen: Time
  last_seen: ColumnType<Date, never, unknown>
}

export type SessionTable = {
  operator: string
  session: string
  replica: string
  protocol: Generated<Protocol>
  workers: string[]
  models: string[]
  offered: JSONColumnType<StoredOffer> | null
  refused: ColumnType<readonly RefusedModel[], string, string>
  slots: number
  seen_at: ColumnType<Date, never, unknown>
  changed_at: ColumnType<Date, never, unknown>
}

export type RegisteredModelTable = {
  name: string
  sha256: string
  model_root: string | null
  template_hash: string | null
  token_list_hash: string | null
  source: Generated<'database' | 'chain'>
  registered_at: ColumnType<Date, never, unknown>
}

export type AnchorTable = {
  interval: bigint
  root: Buffer
  previous: Buffer
  count: number
  state: Generated<'waiting' | 'anchored'>
  claimed_until: ColumnType<Date | null, never, Date | null>
  block_number: Generated<bigint | null>
  created_at: Time
}

export type ReceiptTable = {
  leaf: Buffer
  interval: Generated<bigint | null>
  position: Generated<number | null>
  recorded_at: Time
}

export type DispatcherTables = {
  projects: ProjectTable
  project_tokens: {
    hash: Buffer
    project: string
    created_at: Time
    last_used_at: ColumnType<Date | null, never, unknown>
    revoked_at: ColumnType<Date | null, never, unknown>
  }
  idempotency_keys: {
    project: string
    key: string
    fingerprint: Buffer
    job_id: string
    created_at: Time
  }
  webhook_deliveries: WebhookDeliveryTable
  project_keys: { project: string; wrapped: Buffer }
  project_days: { project: string; day: Date; jobs: bigint; granted: bigint }
  jobs: JobTable
  assignments: AssignmentTable
  draws: DrawTable
  results: ResultTable
  operators: OperatorTable
  sessions: SessionTable
  model_registry: RegisteredModelTable
  anchors: AnchorTable
  receipts: ReceiptTable
}

export type DispatcherSql = Sql<DispatcherTables>
