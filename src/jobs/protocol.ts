/**
 * Messages between dispatcher and operator: JSON text frames on one WebSocket (path /ws of the dispatcher's operator
 * listener). Both sides prove their keys before anything else is sent:
 *
 *   dispatcher -> challenge           operator -> hello (signs both nonces)
 *   dispatcher -> welcome (signs both nonces)
 *   dispatcher -> dispatch            operator -> result, or refused
 *   dispatcher -> recorded, or rejected
 *   operator   -> text, while it generates (D138)
 *   dispatcher -> stream (whether text is wanted), halt (the answer is not wanted any more)
 *   operator   -> heartbeat (the leases it works on, and what it can do if that has changed)
 *   dispatcher -> notice (models that are refused, because they are other files than registered)
 *
 * Signatures are EIP-191 over `loginText`; results carry an EIP-712 signature over their statement
 * (proof/job/statement.ts).
 */
import { z } from 'zod'
import { record, text, within } from '../base/boundedSchema.ts'
import { BOUNDS } from '../base/bounds.ts'
import { isModelName, isModelReference, MAX_MODEL_UNITS } from '../base/modelName.ts'
import { statement } from '../proof/job/statement.ts'
import {
  address,
  bytes32,
  chainId,
  digits32,
  drawBlock,
  evidence,
  jobParams,
  jobType,
  reviewTag,
  vrfRecord,
} from '../proof/job/shapes.ts'

/**
 * A version of the protocol (D33b). Version 2 has statements of version 2, draws that are bound to a block (D32), and
 * traces; version 3 statements of version 3, and says when a job was submitted (D79).
 */
export type Protocol = 1 | 2 | 3

/** Supported versions, newest last: the current and the previous ones. */
export const PROTOCOLS: readonly Protocol[] = [1, 2, 3]

/** The newest version that both sides support, or undefined if there is none. */
export function commonProtocol(offered: readonly number[]): Protocol | undefined {
  return PROTOCOLS.findLast((version) => offered.includes(version))
}

/**
 * What an operator can do besides its version, as it says in its hello: hand-outs with the parameters of D136 and D137 (`params`),
 * text while it generates (`stream`), and to give up a hand-out (`halt`).
 */
export const FEATURES = ['params', 'stream', 'halt'] as const
export type Feature = (typeof FEATURES)[number]

/** Maximum length of one piece of text, in UTF-16 units. */
export const MAX_PIECE = 4096

/** Maximum size of a trace that is sent with an answer, in bytes. */
export const MAX_TRACE_BYTES = 4 * 1024 * 1024
const MAX_TRACE_TEXT = Math.ceil(MAX_TRACE_BYTES / 3) * 4

/** Close codes of the socket. */
export const CLOSE = {
  unauthenticated: 4001,
  version: 4002,
  malformed: 4003,
  replaced: 4004,
  shutdown: 1001,
} as const

const signature = z.string().regex(/^0x[0-9a-f]{130}$/, 'a 65-byte signature')
const MAX_CLOCK = 1024
const clock = record(z.string().regex(/^\d{1,20}$/), MAX_CLOCK, text(128))
const modelName = text(MAX_MODEL_UNITS).refine(isModelName, 'a model name')
const modelReference = text(MAX_MODEL_UNITS).refine(isModelReference, 'a model name')
/** Names that an operator offers. Dispatchers without `takesIdentities` know file names only. */
const models = z.array(modelName).max(1024)

/** What a name means at an operator: the file, and what follows from it where the engine of opml jobs can tell (D144). */
export const modelIdentity = z.object({
  model: modelName,
  /** For jobs of this type: the worker of tee jobs has a folder of its own. */
  type: jobType,
  /** SHA-256 of the file; the root over its weights; the hashes of its chat template and its token list. */
  sha256: bytes32,
  modelRoot: bytes32.exactOptional(),
  templateHash: bytes32.exactOptional(),
  tokenListHash: bytes32.exactOptional(),
})

/** Maximum number of identities in a message: each name for both types. */
export const MAX_IDENTITIES = 2048
const identities = z.array(modelIdentity).max(MAX_IDENTITIES)

/** Fields of fixed length, whose own schemas say only that they are texts. */
const SHORT_FIELDS = { values: 64, characters: 16 * 1024 }

/** The first message: who the dispatcher claims to be, and its nonce. */
export const challenge = z.object({
  type: z.literal('challenge'),
  /** The oldest supported version: operators of version 1 read only this field. */
  protocol: z.number().int(),
  /** All supported versions; only `protocol` if absent. */
  protocols: z.array(z.number().int()).max(16).exactOptional(),
  /** Whether heartbeats may carry a new offer; absent in former releases. */
  takesOffers: z.boolean().exactOptional(),
  /** Whether names may be any text, and offers may have identities; absent in former releases (D58, D144). */
  takesIdentities: z.boolean().exactOptional(),
  dispatcher: address,
  nonce: digits32,
})

/** The operator's claim, its offer, and its signature over both nonces. */
export const hello = z.object({
  type: z.literal('hello'),
  /** The version that the operator chose; a side that does not support it closes with code 4002. */
  protocol: z.number().int(),
  operator: address,
  nonce: digits32,
  workers: z.array(jobType).min(1).max(2),
  models,
  /** Present, if only empty, where the operator understands pinned names and notices. Heartbeats bring what has no room here. */
  identities: identities.exactOptional(),
  /** Maximum number of concurrent jobs. */
  slots: z.number().int().min(1).max(256),
  /** Names of FEATURES, and of later ones; none in former releases. */
  features: z.array(z.string().max(32)).max(32).exactOptional(),
  signature,
})

/** The dispatcher's signature over both nonces, and the range of the operator's draws. */
export const welcome = z.object({
  type: z.literal('welcome'),
  session: digits32,
  range: z.object({
    start: z.number().int().min(0),
    end: z.number().int().min(0),
    max: z.number().int().min(1),
  }),
  signature,
})

/** A hand-out: one job, under a lease. */
export const dispatch = z.object({
  type: z.literal('dispatch'),
  jobId: digits32,
  /** Identifies this hand-out in results and heartbeats. */
  lease: z.string().uuid(),
  leaseSeconds: z.number().int().min(1),
  /** Dispatcher's nonce, part of the VRF input (D32). */
  seed: digits32,
  tag: reviewTag,
  position: z.enum(['', 'before', 'after']),
  /** The block that the VRF input is bound to (D32); absent if no chain is configured. */
  block: drawBlock.exactOptional(),
  clock,
  chainId,
  /** When the job was submitted, in seconds since 1970; absent before version 3. */
  createdAt: z.number().int().min(0).exactOptional(),
  /** Whether the operator sends text while it generates. */
  stream: z.literal(true).exactOptional(),
  job: z.object({
    tag: jobType,
    prompt: text(BOUNDS.prompt),
    /** With its pin if it has one: only to operators that stated the identity. */
    model: modelReference,
    params: jobParams,
  }),
})

/** A draw, and the answer when it selects the operator. */
export const result = z.object({
  type: z.literal('result'),
  jobId: digits32,
  lease: z.string().uuid(),
  selected: z.boolean(),
  vrf: within(vrfRecord, SHORT_FIELDS),
  clock,
  /** Absent when the draw did not select this operator. */
  answer: z
    .object({
      output: text(BOUNDS.prompt),
      statement: within(statement, SHORT_FIELDS),
      signature,
      /** Absent for opml. */
      evidence: within(evidence, { values: 16, characters: BOUNDS.evidence }).optional(),
      /** The steps behind `traceRoot`, base64 (fixed/traceBytes.ts); absent if there are none, or too many. */
      trace: z.string().max(MAX_TRACE_TEXT).exactOptional(),
    })
    .optional(),
})

/** The next piece of an output that is being generated. It is not signed: only the result counts (D138). */
export const piece = z.object({
  type: z.literal('text'),
  jobId: digits32,
  lease: z.string().uuid(),
  /** Where the piece begins in the output, in UTF-16 units. */
  at: z.number().int().min(0),
  text: text(MAX_PIECE).min(1),
})

/** Whether pieces of a hand-out are wanted; if so, from the beginning of the output. */
export const stream = z.object({
  type: z.literal('stream'),
  jobId: digits32,
  lease: z.string().uuid(),
  on: z.boolean(),
})

/** The hand-out is over: its job was cancelled. No answer is expected. */
export const halt = z.object({
  type: z.literal('halt'),
  jobId: digits32,
  lease: z.string().uuid(),
})

/** The operator cannot do the job; the dispatcher hands it to another operator, or fails it with the reason. */
export const refused = z.object({
  type: z.literal('refused'),
  jobId: digits32,
  lease: z.string().uuid(),
  reason: z.string().max(2000),
  /** Whether a retry may succeed. */
  retry: z.boolean(),
  /** Whether the operator did not even begin: its worker is away, it is full, it stops. Not an attempt (D102). */
  unavailable: z.boolean().exactOptional(),
})

/** The result is on disk; the operator may delete it. */
export const recorded = z.object({
  type: z.literal('recorded'),
  jobId: digits32,
  lease: z.string().uuid(),
})

/** The result was rejected. */
export const rejected = z.object({
  type: z.literal('rejected'),
  jobId: digits32,
  lease: z.string().uuid(),
  reason: text(16 * 1024),
})

/** Extends the leases that the operator is working on, and says what it can do now if that has changed. */
export const heartbeat = z.object({
  type: z.literal('heartbeat'),
  leases: z.array(z.string().uuid()).max(1024),
  /** Replaces what the hello offered; none while nothing is ready. Only types of the hello count (D102). */
  offer: z
    .object({
      workers: z.array(jobType).max(2),
      models,
      identities: identities.exactOptional(),
    })
    .exactOptional(),
})

/** Models of an offer that the operator gets no jobs for, with the reasons. Only to operators that state identities (D144). */
export const notice = z.object({
  type: z.literal('notice'),
  refused: z.array(z.object({ model: modelName, reason: text(16 * 1024) })).max(1024),
})

/** All messages of a dispatcher. */
export const fromDispatcher = z.discriminatedUnion('type', [
  challenge,
  welcome,
  dispatch,
  recorded,
  rejected,
  stream,
  halt,
  notice,
])
/** All messages of an operator. */
export const fromOperator = z.discriminatedUnion('type', [hello, result, refused, heartbeat, piece])

export type FromDispatcher = z.infer<typeof fromDispatcher>
export type FromOperator = z.infer<typeof fromOperator>
export type Dispatch = z.infer<typeof dispatch>
export type Result = z.infer<typeof result>
export type Piece = z.infer<typeof piece>
export type ModelIdentity = Readonly<z.infer<typeof modelIdentity>>

/** The text that both sides sign (EIP-191) to prove their keys: it contains the signer's `role` and both nonces. */
export function loginText(login: {
  readonly protocol: Protocol
  readonly role: 'operator' | 'dispatcher'
  readonly dispatcher: string
  readonly operator: string
  readonly dispatcherNonce: string
  readonly operatorNonce: string
}): string {
  return [
    `Assay ${login.role} login, protocol ${login.protocol}`,
    `dispatcher: ${login.dispatcher}`,
    `operator: ${login.operator}`,
    `dispatcher nonce: ${login.dispatcherNonce}`,
    `operator nonce: ${login.operatorNonce}`,
  ].join('\n')
}
