/** The recorded answers of a job, each with what proves it. */
import { sql } from 'kysely'
import { receiptDigest, type Receipt } from '../../../proof/job/receipt.ts'
import type { Statement } from '../../../proof/job/statement.ts'
import { signDigest } from '../../signature.ts'
import type { BundleSource } from '../receipts/bundle.ts'
import { place } from '../vault/vault.ts'

/** One recorded answer. */
export type RecordedAnswer = {
  readonly output: string
  readonly operator: string
  readonly verifyId: string
  readonly round: number
  readonly evidence: 'none' | 'hardware' | 'software-insecure'
  readonly statement: Statement
  readonly signature: string
  readonly receipt: Receipt | undefined
  readonly dispatcherSignature: string | undefined
}

/** What is recorded of a job of a project. */
export type Recorded = {
  readonly answers: readonly RecordedAnswer[]
  /** Number of equal answers that complete it; undefined if any does. */
  readonly agree: number | undefined
}

/** Reads the answers of a job, oldest first. */
export async function readAnswers(
  { sql: store, vault, identity, domain }: BundleSource,
  project: string,
  id: string,
): Promise<Recorded> {
  const rows = await store.db
    .selectFrom('jobs as j')
    .innerJoin('projects as p', 'p.id', 'j.project')
    .leftJoin('results as r', 'r.job_id', 'j.id')
    .select(['r.verify_id', 'r.operator', 'r.round', 'r.output', 'r.signature', 'r.statement'])
    .select(['r.evidence_level', 'r.receipt'])
    .select(sql<number | null>`coalesce(j.agree_k, p.agree_k)`.as('agree'))
    .where('j.id', '=', id)
    .where('j.project', '=', project)
    .orderBy('r.round')
    .orderBy('r.created_at')
    .execute()
  const answers = await Promise.all(
    rows.map(async (row): Promise<RecordedAnswer | undefined> => {
      const { verify_id: verifyId, operator, round, output, signature, statement, receipt } = row
      if (verifyId === null || operator === null || round === null || output === null)
        return undefined
      if (signature === null || statement === null || row.evidence_level === null) return undefined
      const text = await vault.open(project, place.output(verifyId), output)
      const digest = receipt === null ? undefined : receiptDigest(receipt, domain)
      return {
        output: text.toString(),
        operator,
        verifyId,
        round,
        evidence: row.evidence_level,
        statement,
        signature,
        receipt: receipt ?? undefined,
        dispatcherSignature: digest && signDigest(digest, identity.privateKey),
      }
    }),
  )
  return {
    answers: answers.filter((answer) => answer !== undefined),
    agree: rows[0]?.agree ?? undefined,
  }
}

/**
 * The answer that may be given now: one that begins with what was shown. Where k must agree, one of those on which the most of a
 * round agree, and only once the job has ended.
 */
export function pickAnswer(
  { answers, agree }: Recorded,
  shown: string,
  hasEnded: boolean,
): RecordedAnswer | undefined {
  if (agree !== undefined && !hasEnded) return undefined
  const equals = ({ round, statement }: RecordedAnswer): number =>
    answers.filter(
      (other) => other.round === round && other.statement.outputHash === statement.outputHash,
    ).length
  return answers.find(
    (answer) => answer.output.startsWith(shown) && (agree === undefined || equals(answer) >= agree),
  )
}
