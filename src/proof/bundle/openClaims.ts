/**
 * What nothing here proves: every claim in an answer that no check proved from what the verifier trusts, in lines by the
 * question that they leave open. A claim that a later version adds is listed by itself until a check proves it (D76).
 */
import { time } from './checkTimes.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'

type Question = {
  readonly fields: readonly string[]
  readonly text: (answer: BundleAnswer) => string
}

const QUESTIONS: readonly Question[] = [
  {
    fields: ['receipt.operator', 'statement.operator'],
    text: ({ statement }) => `operator identity: pin ${statement.operator} to check it`,
  },
  {
    fields: ['statement.promptHash', 'vrf.vrf_prompt_hash'],
    text: ({ statement }) => `prompt: pass it to compare it with its hash, ${statement.promptHash}`,
  },
  {
    fields: [
      'receipt.requestHash',
      'receipt.model',
      'statement.jobType',
      'params',
      'statement.paramsHash',
    ],
    text: ({ receipt }) =>
      `request: that somebody asked for model "${receipt.model}", this kind of job and these parameters is the dispatcher's word; pass the submission to open its hash, ${receipt.requestHash}`,
  },
  {
    fields: ['statement.modelHash'],
    text: ({ receipt, statement }) =>
      `model: whether "${receipt.model}" is the file that you expect; its hash is ${statement.modelHash}`,
  },
  {
    fields: ['receipt.seed', 'statement.seed', 'receipt.round'],
    text: ({ receipt }) =>
      `seed of round ${receipt.round}: nothing shows that it was settled before the block of the draw, so the dispatcher could have tried several`,
  },
  {
    fields: ['receipt.drawBlock', 'receipt.drawBlockHash', 'statement.drawBlockHash'],
    text: ({ receipt }) =>
      receipt.drawBlock > 0
        ? `block ${receipt.drawBlock} of the draw: ask a node you trust whether it has the hash 0x${receipt.drawBlockHash.slice(2)}`
        : 'block of the draw: it is bound to none, so the dispatcher could have tried several seeds',
  },
  {
    fields: ['receipt.rangeStart', 'receipt.rangeEnd', 'receipt.rangeMax'],
    text: ({ receipt }) =>
      `selection range: ${receipt.rangeStart} to ${receipt.rangeEnd} of ${receipt.rangeMax} is the dispatcher's word; compare it with the registry`,
  },
  {
    fields: ['receipt.tag', 'receipt.position'],
    text: ({ receipt }) =>
      `review: that the user was ${receipt.tag === '' ? 'not under review' : `under review for ${receipt.tag} (${receipt.position})`} is the dispatcher's word`,
  },
  {
    fields: ['jobClock', 'clock', 'receipt.jobClockHash', 'statement.clockHash'],
    text: () => 'clocks: that these events happened is the word of dispatcher and operator',
  },
  {
    fields: [
      'statement.createdAt',
      'statement.startedAt',
      'statement.finishedAt',
      'receipt.recordedAt',
    ],
    text: ({ statement, receipt }) =>
      `times: ${time(statement.startedAt)}, ${time(statement.finishedAt)} and ${time(receipt.recordedAt)} to the second are the word of operator and dispatcher`,
  },
  {
    fields: [
      'output',
      'statement.outputHash',
      'statement.engine',
      'statement.tokens',
      'statement.finishReason',
      'statement.modelRoot',
      'statement.traceRoot',
      'statement.promptTokens',
      'statement.templateHash',
      'statement.renderer',
      'statement.tokenListHash',
      'statement.commitment',
      'statement.rowsRoot',
    ],
    text: ({ statement }) =>
      `execution: that engine "${statement.engine}" gave this output of ${statement.tokens} tokens (${statement.finishReason}) is the operator's word; ${
        statement.jobType === 'opml'
          ? 'assay job verify --model executes it again'
          : 'only evidence of hardware that you trust shows it'
      }`,
  },
  {
    fields: ['evidence', 'receipt.evidenceHash'],
    text: ({ evidence }) =>
      evidence === undefined
        ? 'evidence: there is none'
        : 'evidence: it proves nothing about a machine that you trust',
  },
  { fields: ['anchor'], text: () => 'anchor: it does not end at a chain that you trust' },
]

/** Claims that follow from others: the checks fail unless they fit. */
const BOUND: ReadonlySet<string> = new Set([
  'receipt.jobId',
  'statement.jobId',
  'receipt.statementHash',
  'dispatcherSignature',
  'operatorSignature',
  'statement.vrfProofHash',
  'vrf.selected',
  'vrf.vrf_random_value',
  'vrf.vrf_verify_pubkey',
  'vrf.vrf_proof',
])

const STRUCTS: ReadonlySet<string> = new Set(['receipt', 'statement', 'vrf'])

/** The paths of an answer's claims: the keys of its records, and other parts as a whole. */
function claimsOf(answer: BundleAnswer): readonly string[] {
  return Object.entries(answer).flatMap(([name, part]) =>
    STRUCTS.has(name) ? Object.keys(part).map((key) => `${name}.${key}`) : [name],
  )
}

/** Lists the claims that remain, after all other checks of the answer. */
export function listOpenClaims(findings: Findings, answer: BundleAnswer): void {
  const open = new Set(
    claimsOf(answer).filter((claim) => !BOUND.has(claim) && !findings.proven.has(claim)),
  )
  for (const { fields, text } of QUESTIONS) {
    const left = fields.filter((field) => open.delete(field))
    if (left.length > 0) findings.unchecked(text(answer), left)
  }
  if (open.size > 0) findings.unchecked(`nothing here proves ${[...open].join(', ')}`, [...open])
}
