/**
 * The statement that an operator signs about one answer (D34): EIP-712 typed data `Statement`. Any EIP-712 library can
 * check it. Version 2 adds what an execution commits to (D35); operators that speak protocol 1 sign version 1.
 */
import { z } from 'zod'
import { keccak256 } from '../../base/keccak.ts'
import { address, jobType } from './shapes.ts'
import { structBytes, type RecordDomain } from './typedStruct.ts'

/** Versions of a statement; also the `version` of its EIP-712 domain. */
export type StatementVersion = 1 | 2

/** Hashes are 0x and 64 digits, times seconds since 1970. */
export const statement = z.object({
  jobId: z.string(),
  operator: address,
  jobType,
  engine: z.string().max(128),
  modelHash: z.string(),
  promptHash: z.string(),
  paramsHash: z.string(),
  seed: z.string(),
  outputHash: z.string(),
  tokens: z.number().int().min(0),
  finishReason: z.enum(['stop', 'length']),
  vrfProofHash: z.string(),
  clockHash: z.string(),
  startedAt: z.number().int(),
  finishedAt: z.number().int(),
  /** Roots over weights and steps; zeros if the engine commits to nothing. Both absent in version 1. */
  modelRoot: z.string().exactOptional(),
  traceRoot: z.string().exactOptional(),
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

/** The EIP-712 fields of each version, in the form that viem and ethers accept. */
export const STATEMENT_FIELDS = { 1: VERSION_1, 2: VERSION_2 } as const

/** The root of an engine that commits to nothing. */
export const NO_ROOT = `0x${'00'.repeat(32)}`

/** The version of a statement. */
export function statementVersion({ modelRoot, traceRoot }: Statement): StatementVersion {
  return modelRoot === undefined && traceRoot === undefined ? 1 : 2
}

/**
 * The 66 bytes whose Keccak hash is signed. Evidence of a worker binds their SHA-256. Throws SyntaxError if a field is
 * not hex of its type's length.
 */
export function statementBytes(statement: Statement, domain: RecordDomain): Uint8Array {
  const version = statementVersion(statement)
  const struct = { name: 'Statement', fields: STATEMENT_FIELDS[version] }
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
  return VERSION_2.map(({ name }) => name).find(
    (name) => known[name] !== undefined && known[name] !== statement[name],
  )
}
