/** Confirms an answer of OpenAI's API by the bundle of its job: that it proves this text for this request. */
import { parseModelReference } from '../base/modelName.ts'
import type { ReceiptBundle } from './jobRoutes.ts'
import type { Asked } from './asked.ts'
import { pause } from './request.ts'
import { verifyReceipts, type Fact, type Line, type Trust, type Verification } from './proof.ts'

/** What was found about an answer. */
export type Confirmation = Verification & {
  readonly jobId: string
  /** The bundle, where there is one. */
  readonly bundle: ReceiptBundle | undefined
}

export type Requirement = {
  readonly trust: Trust
  readonly require: readonly Fact[]
  /** How long facts may take to be established, in milliseconds. */
  readonly waitMs: number
}

const POLL_MS = 1000
const ABOUT = 'this answer'

function failed(text: string): Line {
  return { about: ABOUT, status: 'fails', text }
}

/** Lines about what a bundle cannot know: the request that was sent, and the text that was received. */
function compare(
  bundle: ReceiptBundle,
  asked: Asked,
  text: string,
  isPinned: boolean,
): readonly Line[] {
  const { answers } = bundle
  const line = (holds: boolean, good: string, bad: string): Line =>
    holds ? { about: ABOUT, status: 'holds', text: good } : failed(bad)
  return [
    line(
      answers.some(({ output }) => output === text),
      'the text is an output that the bundle proves',
      'the text is not an output that the bundle proves',
    ),
    line(
      answers.every(({ statement }) => statement.promptHash === asked.promptHash),
      'the prompt is that of your request',
      'the prompt is not that of your request',
    ),
    line(
      answers.every(({ statement }) => statement.paramsHash === asked.paramsHash),
      'the parameters are those of your request',
      'the parameters are not those of your request',
    ),
    // Who pins the file does not depend on its name.
    ...(isPinned
      ? []
      : [
          line(
            answers.every(
              ({ receipt }) => parseModelReference(receipt.model)?.name === asked.model,
            ),
            `the model is "${asked.model}"`,
            `the model is "${answers[0]?.receipt.model}", not "${asked.model}"`,
          ),
        ]),
  ]
}

async function confirmOnce(
  jobId: string,
  bundle: ReceiptBundle,
  asked: Asked,
  text: string,
  { trust, require }: Requirement,
): Promise<Confirmation> {
  const { modelHash = trust.modelHash } = asked
  const pinned = modelHash === undefined ? {} : { modelHash }
  const report = await verifyReceipts(bundle, { ...trust, ...pinned, jobId }, require)
  // What is no bundle has none of the parts that are compared.
  const isBundle = report.facts.length > 0
  const own = isBundle ? compare(bundle, asked, text, modelHash !== undefined) : []
  const hasFailed = own.some(({ status }) => status === 'fails')
  return {
    jobId,
    bundle: isBundle ? bundle : undefined,
    verdict: hasFailed ? 'fails' : report.verdict,
    facts: hasFailed ? report.facts.map(() => []) : report.facts,
    lines: [...report.lines, ...own],
  }
}

/**
 * Fetches the bundle and verifies it, again and again while nothing fails and a fact is missing. Rejects where no bundle can be
 * fetched, and with the signal's reason.
 */
export async function confirm(
  jobId: string,
  fetchBundle: () => Promise<ReceiptBundle>,
  asked: Asked,
  text: string,
  requirement: Requirement,
  signal?: AbortSignal,
): Promise<Confirmation> {
  const end = Date.now() + requirement.waitMs
  for (;;) {
    const found = await confirmOnce(jobId, await fetchBundle(), asked, text, requirement)
    if (found.verdict !== 'unchecked' || Date.now() + POLL_MS > end) return found
    await pause(POLL_MS, signal)
  }
}
