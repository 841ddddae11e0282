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

/** What became of it: the reason if it was rejected, and whether its job is to be planned again. */
export type Taken = { readonly refusal: string | undefined; readonly goesOn: boolean }

/** Resolves after the commit. */
export function takeOutcome(
  options: TakingOptions,
  operator: string,
  report: Extract<Report, { type: 'result' | 'refused' }>,
): Promise<Taken> {
  return report.type === 'refused'
    ? takeRefusal(options, operator, report)
    : takeResult(options, operator, report)
}

async function takeRefusal(
  { sql, maxAttempts, metrics }: TakingOptions,
  operator: string,
  { lease, reason, retry, unavailable = false }: Extract<Report, { type: 'refused' }>,
): Promise<Taken> {
  const failure = { operator, lease, reason, retry, unavailable }
  const { goesOn } = await recordFailure(sql, failure, maxAttempts)
  metrics.add('assay_results_total', { outcome: 'failed' })
  return { refusal: undefined, goesOn }
}

/** Checks and records a result. */
async function takeResult(
  { sql, vault, trust, maxAttempts, log, metrics }: TakingOptions,
  operator: string,
  result: Result,
): Promise<Taken> {
  const answered = (outcome: Recording, goesOn = false): Taken => {
    metrics.add('assay_results_total', { outcome })
    return { refusal: outcome === 'late' ? 'the hand-out is over' : undefined, goesOn }
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
    const failure = { operator, lease, reason, retry: true }
    const { goesOn } = await recordFailure(sql, failure, maxAttempts)
    const outcome = other === undefined ? 'refused' : 'other_model'
    metrics.add('assay_results_total', { outcome })
    return { refusal: checked, goesOn }
  }
  let charged = 0
  const { recording, goesOn } = await recordResult(sql, vault, result, checked, {
    operator,
    known,
    domain: trust.domain,
    maxAttempts,
    onFirst({ tokens, promptTokens = 0 }, { isMetered }) {
      if (isMetered) charged = tokens + promptTokens
    },
  })
  if (recording === 'recorded' && charged > 0) await chargeTokens(sql, { jobId, tokens: charged })
  return answered(recording, goesOn)
}
