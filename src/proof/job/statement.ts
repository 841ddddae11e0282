/**
 * The statement that an operator signs about one answer (D34): EIP-712 typed data `Statement`. Any EIP-712 library can
 * check it. Version 2 adds what an execution commits to (D35), version 3 all that determines and identifies it (D79);
 * operators that speak an older protocol sign its version.
 */
import { z } from 'zod'
import { keccak256 } from '../../base/keccak.ts'
import { address, bytes32, jobType } from './shapes.ts'
import { structBytes, type RecordDomain } from './typedStruct.ts'

/** Versions of a statement; also the `version` of its EIP-712 domain. */
export type StatementVersion = 1 | 2 | 3

const count = z.number().int().min(0)

/** Hashes are 0x and 64 digits, times seconds since 1970. */
export const statement = z.object({
  jobId: bytes32,
  operator: address,
  jobType,
  engine: z.string().max(128),
  modelHash: bytes32,
  promptHash: bytes32,
  paramsHash: bytes32,
  seed: bytes32,
  outputHash: bytes32,
  tokens: count,
  finishReason: z.enum(['stop', 'length']),
  vrfProofHash: bytes32,
  clockHash: bytes32,
  startedAt: count,
  finishedAt: count,
  /** Roots over weights and steps; zeros if the engine commits to nothing. Both absent in version 1. */
  modelRoot: bytes32.exactOptional(),
  traceRoot: bytes32.exactOptional(),
  /** From here on, absent in versions 1 and 2. The block of the draw, which the sampler's seed binds; zeros if there is none. */
  drawBlockHash: bytes32.exactOptional(),
  /** When the job was submitted, by the dispatcher. */
  createdAt: count.exactOptional(),
  /** Length of the prompt in tokens. */
  promptTokens: count.exactOptional(),
  /** What the commitments are made of (docs of the engine); 0 if it commits to nothing. */
  commitment: count.exactOptional(),
  /** Root over the rows of the model's matrices and its tables; zeros in commitment 1, which has none. */
  rowsRoot: bytes32.exactOptional(),
  /** Hash of the chat template that made the prompt, and the program that rendered it; zeros and '' for plain prompts. */
  templateHash: bytes32.exactOptional(),
  renderer: z.string().max(128).exactOptional(),
  /** Hash of the tokenizer's list; zeros if the engine does not state it. */
  tokenListHash: bytes32.exactOptional(),
})

export type Statement = Readonly<z.infer<typeof statement>>

const VERSION_1 = [
  { name: 'jobId', type: 'bytes32' },
  { name: 'operator', type: 'address' },
  { name: 'jobType', type: 'string' },
  { name: 'engine', type: 'string' },
  { name: 'modelHash', type: 'bytes32' },
  { name: 'promptHash', type: 'bytes32' },
  { name: 'paramsHash', type: 'bytes32' },
  { name: 'seed', type: 'bytes32' },
  { name: 'outputHash', type: 'bytes32' },
  { name: 'tokens', type: 'uint64' },
  { name: 'finishReason', type: 'string' },
  { name: 'vrfProofHash', type: 'bytes32' },
  { name: 'clockHash', type: 'bytes32' },
  { name: 'startedAt', type: 'uint64' },
  { name: 'finishedAt', type: 'uint64' },
] as const
const VERSION_2 = [
  ...VERSION_1,
  { name: 'modelRoot', type: 'bytes32' },
  { name: 'traceRoot', type: 'bytes32' },
] as const

const NEW_IN_3 = [
  { name: 'drawBlockHash', type: 'bytes32' },
  { name: 'createdAt', type: 'uint64' },
  { name: 'promptTokens', type: 'uint64' },
  { name: 'commitment', type: 'uint64' },
  { name: 'rowsRoot', type: 'bytes32' },
  { name: 'templateHash', type: 'bytes32' },
  { name: 'renderer', type: 'string' },
  { name: 'tokenListHash', type: 'bytes32' },
] as const
const VERSION_3 = [...VERSION_2, ...NEW_IN_3] as const

/** The EIP-712 fields of each version, in the form that viem and ethers accept. */
export const STATEMENT_FIELDS = { 1: VERSION_1, 2: VERSION_2, 3: VERSION_3 } as const

/** The root of an engine that commits to nothing. */
export const NO_ROOT = `0x${'00'.repeat(32)}`

/** The version of a statement: the one that has its newest field. */
export function statementVersion(statement: Statement): StatementVersion {
  if (NEW_IN_3.some(({ name }) => statement[name] !== undefined)) return 3
  return statement.modelRoot === undefined && statement.traceRoot === undefined ? 1 : 2
}

/**
 * The 66 bytes whose Keccak hash is signed. Evidence of a worker binds their SHA-256. Throws SyntaxError if a field is
 * absent, or not of its type.
 */
export function statementBytes(statement: Statement, domain: RecordDomain): Uint8Array {
  const version = statementVersion(statement)
  const fields = STATEMENT_FIELDS[version]
  for (const { name } of fields)
    if (statement[name] === undefined) throw new SyntaxError(`the statement has no ${name}`)
  const struct = { name: 'Statement', fields }
  return structBytes(struct, statement, domain, String(version))
}

/** The EIP-712 digest of a statement. Throws SyntaxError as `statementBytes` does. */
export function statementDigest(statement: Statement, domain: RecordDomain): Uint8Array {
  return keccak256(statementBytes(statement, domain))
}

/** The name of the first field in which a statement differs from what is known about it, or undefined when all agree. */
export function statementMismatch(
  statement: Statement,
  known: Partial<Statement>,
): keyof Statement | undefined {
  return VERSION_3.map(({ name }) => name).find(
    (name) => known[name] !== undefined && known[name] !== statement[name],
  )
}
