/** The receipt bundle: everything that a third party needs to check the answers of one job, as JSON. */
import { z } from 'zod'
import { within } from '../../base/boundedSchema.ts'
import {
  address,
  bytes32,
  chainId,
  digits32,
  evidence,
  jobParams,
  vrfRecord,
} from '../job/shapes.ts'
import { receipt } from '../job/receipt.ts'
import { statement, statementVersion } from '../job/statement.ts'
import { commitJson, hashedValidatorJson, headerJson } from '../comet/json/block.ts'

/** The format and its versions: version 2 has statements of version 3, or proofs of what the chain says about the draw (D78). */
const FORMATS = ['assay-receipts/1', 'assay-receipts/2'] as const
/** The newest one. */
export const BUNDLE_FORMAT = FORMATS[1]

const MAX_ANSWERS = 256
const MAX_NODES = 65
const MAX_AUNTS = 53
const MAX_VALIDATORS = 10_000

const signature = z.string().regex(/^0x[0-9a-f]{130}$/, 'a 65-byte signature')
const clock = z.record(z.string().max(128), z.string().regex(/^\d{1,20}$/))
const count = z.number().int().min(0)
const nodes = z
  .array(
    z
      .string()
      .max(2048)
      .regex(/^0x(?:[0-9a-f]{2})*$/, 'a trie node'),
  )
  .max(MAX_NODES)

/** A header of the chain with its commit and validators, in CometBFT's JSON, as light clients accept them. */
const signedHeader = z.strictObject({
  header: headerJson,
  commit: commitJson,
  validators: z.array(hashedValidatorJson).min(1).max(MAX_VALIDATORS),
})

/** From a state root down to the anchor: account of the contract, and its two words. */
const stateProof = z.strictObject({
  account: nodes,
  root: nodes,
  count: nodes,
  /** The hash of the draw's block in the contract of EIP-2935. */
  history: z.strictObject({ account: nodes, hash: nodes }).exactOptional(),
  /** Range and stake of the operator in contracts/OperatorRegistry.sol. */
  registry: z
    .strictObject({ contract: address, account: nodes, range: nodes, stake: nodes })
    .exactOptional(),
  /** Commits to the state by its app_hash. Absent for chains other than ours. */
  signedHeader: signedHeader.exactOptional(),
  /** The state root of another chain's block. */
  stateRoot: bytes32.exactOptional(),
})

/** Position of a receipt on the chain (contracts/JobReceipts.sol). */
const anchor = z.strictObject({
  contract: address,
  interval: count,
  index: count,
  count,
  /** From the leaf to the root (RFC 6962). */
  aunts: z.array(bytes32).max(MAX_AUNTS),
  /** Absent while the chain is unavailable. */
  proof: stateProof.exactOptional(),
})

const answer = z.strictObject({
  receipt,
  /** The dispatcher's, over the receipt. */
  dispatcherSignature: signature,
  statement: statement.strict(),
  /** The operator's, over the statement. */
  operatorSignature: signature,
  vrf: vrfRecord.strict(),
  /** The clock sent with the job, and the one returned. */
  jobClock: clock,
  clock,
  params: jobParams.strict(),
  output: z.string(),
  evidence: evidence.strict().exactOptional(),
  anchor: anchor.exactOptional(),
})

/** What a page accepts as a file; 256 answers under 100 validators have some 400,000 values. */
const MAX_SIZE = { values: 1_000_000, characters: 50_000_000 }

/** The bundle. Prompts are not part of it: anyone who has one can compare its hash. */
export const bundle = within(
  z.strictObject({
    format: z.enum(FORMATS),
    /** EIP-155 id and dispatcher that all signatures are meant for. */
    chainId,
    dispatcher: address,
    jobId: digits32,
    answers: z.array(answer).min(1).max(MAX_ANSWERS),
  }),
  MAX_SIZE,
)

export type Bundle = z.infer<typeof bundle>
export type BundleAnswer = z.infer<typeof answer>
export type BundleAnchor = z.infer<typeof anchor>
/** The version of the format that answers need: the first one, which older verifiers read, where that has all. */
export function formatOf(
  answers: readonly {
    readonly statement: BundleAnswer['statement']
    readonly anchor?: Pick<AnchorJson, 'proof'> | BundleAnchor
  }[],
): Bundle['format'] {
  const isNew = answers.some(
    ({ statement, anchor }) =>
      statementVersion(statement) >= 3 ||
      anchor?.proof?.history !== undefined ||
      anchor?.proof?.registry !== undefined,
  )
  return isNew ? BUNDLE_FORMAT : FORMATS[0]
}

/** The bundle as JSON, before parsing. */
export type BundleJson = z.input<typeof bundle>
export type AnchorJson = z.input<typeof anchor>
