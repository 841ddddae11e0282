/** Takes what an operator sends about a hand-out: a result is checked, nothing is trusted, and recorded; a refusal is recorded. */
import type { Log } from '../../base/log.ts'
import type { Result } from '../protocol.ts'
import { checkResult, type Trust } from './check.ts'
import { strangersOf } from './clockFault.ts'
import { readCounts } from './clocks.ts'
import type { Report } from './connection.ts'
import { otherModel, recordOtherModel } from './identities/otherModel.ts'
import type { DispatcherMetrics } from './metrics.ts'
import { findHandout, recordFailure, recordResult, type Recording } from './record.ts'
import { chargeTokens } from './submit/tokenLimits.ts'
import type { DispatcherSql } from './tables.ts'
import type { Vault } from './vault/vault.ts'

export type TakingOptions = {
  readonly sql: DispatcherSql
  readonly vault: Vault
  readonly trust: Trust
  readonly maxAttempts: number
  readonly log: Log
  readonly metrics: DispatcherMetrics
}

/** Resolves, after the commit, with the reason if what the operator sent was rejected. */
export function takeOutcome(
  options: TakingOptions,
  operator: string,
  report: Extract<Report, { type: 'result' | 'refused' }>,
): Promise<string | undefined> {
  return report.type === 'refused'
    ? takeRefusal(options, operator, report)
    : takeResult(options, operator, report)
}

async function takeRefusal(
  { sql, maxAttempts, metrics }: TakingOptions,
  operator: string,
  { lease, reason, retry, unavailable = false }: Extract<Report, { type: 'refused' }>,
): Promise<undefined> {
  await recordFailure(sql, { operator, lease, reason, retry, unavailable }, maxAttempts)
  metrics.add('assay_results_total', { outcome: 'failed' })
  return undefined
}

/** Checks and records a result. */
async function takeResult(
  { sql, vault, trust, maxAttempts, log, metrics }: TakingOptions,
  operator: string,
  result: Result,
): Promise<string | undefined> {
  const answered = (outcome: Recording): string | undefined => {
    metrics.add('assay_results_total', { outcome })
    return outcome === 'late' ? 'the hand-out is over' : undefined
  }
  const { jobId, lease } = result
  const known = await findHandout(sql, vault, operator, lease)
  if (known === 'repeated') return answered(known)
  if (known === 'late' || known.jobId !== jobId) return answered('late')
  const seen = await readCounts(sql, trust.domain.dispatcher, strangersOf(result.clock, known))
  const valid = await checkResult(result, known, trust, seen)
  const other = typeof valid === 'string' ? undefined : await otherModel(sql, known, result)
  if (other !== undefined) await recordOtherModel(sql, { operator, lease }, other)
  const checked = other?.reason ?? valid
  if (typeof checked === 'string') {
    log.warn({ operator, jobId, reason: checked }, 'refused a result')
    const reason =
      other === undefined
        ? `operator ${operator} sent a result that does not hold: ${checked}`
        : `operator ${operator} ${checked}`
    await recordFailure(sql, { operator, lease, reason, retry: true }, maxAttempts)
    const outcome = other === undefined ? 'refused' : 'other_model'
    metrics.add('assay_results_total', { outcome })
    return checked
  }
  let charged = 0
  const outcome = await recordResult(sql, vault, result, checked, {
    operator,
    known,
    domain: trust.domain,
    maxAttempts,
    onFirst({ tokens, promptTokens = 0 }) {
      charged = tokens + promptTokens
    },
  })
  if (outcome === 'recorded' && charged > 0) await chargeTokens(sql, { jobId, tokens: charged })
  return answered(outcome)
}
