/** Checks a job's receipt bundle in the page: the code of `assay job verify`, from the header that this browser trusts. */
import { webCrypto } from '../../../src/proof/attestation/webCrypto.ts'
import { canonicalMessages, type JobMessage } from '../../../src/proof/job/canonicalMessages.ts'
import { verifyBundle } from '../../../src/proof/bundle/verify.ts'
import type { Line, Report } from '../../../src/proof/bundle/report.ts'
import type { BundleTrust } from '../../../src/proof/bundle/trust.ts'
import type { Node } from '../net/context.ts'
import { portableCrypto } from '../../../src/proof/comet/portableCrypto.ts'
import { openSession } from './session.ts'

/** Where genesis puts the registry of operators, and the contract that keeps the roots of receipts (D52). */
const REGISTRY_CONTRACT = '0x0000000000000000000000000000000000002001'
const RECEIPTS_CONTRACT = '0x0000000000000000000000000000000000002002'

type Json = Readonly<Record<string, unknown>>

function at(value: unknown, ...path: readonly string[]): unknown {
  let inner = value
  for (const name of path) inner = (inner as Json | null | undefined)?.[name]
  return inner
}

/** Heights of the headers that the answers of a bundle end at. */
function heightsOf(bundle: unknown): readonly number[] {
  const answers = at(bundle, 'answers')
  if (!Array.isArray(answers)) return []
  const heights = answers
    .map((answer) => Number(at(answer, 'anchor', 'proof', 'signedHeader', 'header', 'height')))
    .filter((height) => Number.isSafeInteger(height) && height > 0)
  return [...new Set(heights)]
}

type HeaderTrust = Pick<BundleTrust, 'chainId' | 'headerHashes'>

/** What the light client says of these headers: their hashes. */
async function headerTrust(
  node: Node,
  heights: readonly number[],
  check: (text: string) => void,
): Promise<HeaderTrust> {
  const session = await openSession(node, check)
  if (heights.length === 0) return { chainId: session.chainId }
  const headerHashes: Uint8Array[] = []
  for (const height of heights) {
    const { commit } = await session.verified(height)
    headerHashes.push(commit.blockId.hash)
  }
  return { chainId: session.chainId, headerHashes }
}

/** What the page knows of a bundle from elsewhere; what is absent stays unchecked. */
export type Known = {
  readonly prompt?: string | undefined
  /** The conversation of a job that has no prompt. */
  readonly messages?: readonly JobMessage[] | undefined
  readonly jobId?: string | undefined
  /** The text that was shown as the answer. */
  readonly text?: string | undefined
  /** Dispatchers that the user trusts, as lower-case addresses. */
  readonly dispatchers?: readonly string[] | undefined
}

/** The dispatcher of a bundle, if it is one of those that the user trusts. Another one is unknown, not wrong. */
function trustedOf(bundle: unknown, { dispatchers = [] }: Known): string | undefined {
  const named = at(bundle, 'dispatcher')
  return dispatchers.find((each) => each === named)
}

/** Whether the text that was shown is an answer of the bundle. */
function shownLines(bundle: unknown, { text }: Known): readonly Line[] {
  if (text === undefined) return []
  const answers = at(bundle, 'answers')
  const isThere = Array.isArray(answers) && answers.some((answer) => at(answer, 'output') === text)
  return [
    {
      about: 'this browser',
      status: isThere ? 'holds' : 'fails',
      text: isThere
        ? 'the text shown is an answer of the bundle'
        : 'the text shown is no answer of the bundle',
    },
  ]
}

/** The report on a bundle. Never rejects. */
export async function checkBundle(node: Node, bundle: unknown, known: Known = {}): Promise<Report> {
  const about = 'this browser'
  const before: Line[] = []
  const check = (text: string): void => void before.push({ about, status: 'holds', text })
  const trusted = await headerTrust(node, heightsOf(bundle), check).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    before.push({ about, status: 'unchecked', text: `the chain of this node: ${reason}` })
    return {}
  })
  const { messages, jobId } = known
  const prompt = messages === undefined ? known.prompt : canonicalMessages(messages)
  const dispatcher = trustedOf(bundle, known)
  const report = await verifyBundle(
    bundle,
    {
      ...trusted,
      nowNs: BigInt(Date.now()) * 1_000_000n,
      receiptsContract: RECEIPTS_CONTRACT,
      registryContract: REGISTRY_CONTRACT,
      evidence: { software: 'any' },
      ...(prompt === undefined ? {} : { prompt }),
      ...(jobId === undefined ? {} : { jobId }),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    },
    { ...portableCrypto, attestation: webCrypto(crypto.subtle as Parameters<typeof webCrypto>[0]) },
  )
  const shown = shownLines(bundle, known)
  const holds = report.holds && shown.every(({ status }) => status !== 'fails')
  return {
    lines: [...before, ...report.lines, ...shown],
    facts: holds ? report.facts : report.facts.map(() => []),
    holds,
  }
}

/** The report on the bundle of a job, and which dispatcher and operators it names. */
export async function checkJob(
  node: Node,
  bundle: unknown,
  known: Known,
): Promise<{
  readonly report: Report
  readonly dispatcher: string
  readonly operators: readonly string[]
}> {
  const dispatcher = at(bundle, 'dispatcher')
  const answers = at(bundle, 'answers')
  return {
    report: await checkBundle(node, bundle, known),
    dispatcher: typeof dispatcher === 'string' ? dispatcher : '',
    operators: Array.isArray(answers)
      ? answers.map((answer) => String(at(answer, 'statement', 'operator')))
      : [],
  }
}
