/** What the receipt bundle of a job proves to whoever submitted it, in one line. */
import { verdictOf, type Report, type Verdict } from '../../proof/bundle/report.ts'
import type { BundleTrust } from '../../proof/bundle/trust.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../config/contracts.ts'
import type { Client } from '../job/client.ts'

const NS_PER_MS = 1_000_000n

/** What the submitter knows of a job. */
export type Known = {
  readonly jobId: string
  /** The body of the submission. */
  readonly submission: unknown
  /** Of the model's file, 64 hex digits; undefined if it is not known. */
  readonly modelSha256: string | undefined
  /** Address of the dispatcher that is trusted. */
  readonly dispatcher: string | undefined
  /** The text that was shown. */
  readonly text: string
}

export type Outcome = { readonly verdict: Verdict; readonly line: string }

// What a dispatcher sends reaches the terminal here: remove control characters.
const clean = (text: string): string => text.replace(/\p{Cc}/gu, '?')

function outcomeOf(report: Report, jobId: string, hasText: boolean): Outcome {
  const more = `assay job verify ${jobId} shows every check.`
  const failed = report.lines.find(({ status }) => status === 'fails')
  if (failed !== undefined)
    return { verdict: 'fails', line: `NOT PROVEN: ${clean(failed.text)}. ${more}` }
  if (!hasText)
    return { verdict: 'fails', line: `NOT PROVEN: no receipt is about this text. ${more}` }
  const verdict = verdictOf(report)
  if (verdict === 'unchecked')
    return {
      verdict,
      line: `Not verified: pass --dispatcher-address, the dispatcher that you trust. ${more}`,
    }
  return { verdict, line: `Verified: ${(report.facts[0] ?? []).join(', ')}. ${more}` }
}

/** Fetches the bundle of a job and verifies it against what is known. Rejects with UserError when there is none. */
export async function verdictOn(client: Client, known: Known): Promise<Outcome> {
  const { bundle } = await import('../../proof/bundle/format.ts')
  const { verifyBundle } = await import('../../proof/bundle/verify.ts')
  const { outputHash } = await import('../../proof/job/hashes.ts')
  const { nodeContext } = await import('../../jobs/bundleContext.ts')
  const { knownRequest } = await import('../../jobs/knownRequest.ts')
  const { jobId, dispatcher, modelSha256 } = known
  const json = await client.get(`/api/job/receipt/${jobId}`)
  const trust: BundleTrust = {
    nowNs: BigInt(Date.now()) * NS_PER_MS,
    receiptsContract: RECEIPTS_ADDRESS,
    registryContract: REGISTRY_ADDRESS,
    jobId,
    request: knownRequest(known.submission),
    ...(modelSha256 !== undefined && { modelHash: `0x${modelSha256}` }),
    ...(dispatcher !== undefined && { dispatcher }),
    evidence: { software: 'any' },
  }
  const report = await verifyBundle(json, trust, nodeContext)
  const shown = outputHash(known.text)
  const { answers = [] } = bundle.safeParse(json).data ?? {}
  const hasText = answers.some(({ statement }) => statement.outputHash === shown)
  return outcomeOf(report, jobId, hasText)
}
