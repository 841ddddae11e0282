/**
 * What an operator swears to about one answer (D34): EIP-712 typed data `Statement` in the domain
 * {name "Assay", version "1", chainId, verifyingContract: dispatcher address}. Any EIP-712 library can check it.
 */
import { bigintToFixedBytes, concatBytes, padLeft, utf8 } from '../base/bytes.ts'
import { fromHex, toHex, type Hex } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import type { Statement } from './protocol.ts'
import { recoverSigner, signDigest } from './signature.ts'

/** Chain and dispatcher that a statement is meant for. `dispatcher` is its address. */
export type StatementDomain = { readonly chainId: bigint; readonly dispatcher: string }

/** EIP-712 type of a statement, in the form that viem and ethers take. */
export const STATEMENT_TYPES = {
  Statement: [
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
  ],
} as const

const DOMAIN_TYPE =
  'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'
const STATEMENT_TYPE = `Statement(${STATEMENT_TYPES.Statement.map(({ name, type }) => `${type} ${name}`).join(',')})`

function encodeField(type: string, value: string | number): Uint8Array {
  if (type === 'string') return keccak256(utf8(String(value)))
  if (type === 'uint64') return bigintToFixedBytes(BigInt(value), 32)
  const bytes = fromHex(String(value))
  if (bytes.length !== (type === 'address' ? 20 : 32))
    throw new SyntaxError(`a value of type ${type} has ${bytes.length} bytes`)
  return padLeft(bytes, 32)
}

function domainSeparator({ chainId, dispatcher }: StatementDomain): Uint8Array {
  return keccak256(
    concatBytes(
      keccak256(utf8(DOMAIN_TYPE)),
      keccak256(utf8('Assay')),
      keccak256(utf8('1')),
      bigintToFixedBytes(chainId, 32),
      encodeField('address', dispatcher),
    ),
  )
}

/**
 * The 66 bytes whose Keccak hash is signed: 19 01 || domain separator || hash of the statement. Evidence of a worker binds
 * their SHA-256. Throws SyntaxError when a field is not hex of its type's length.
 */
export function statementBytes(statement: Statement, domain: StatementDomain): Uint8Array {
  const fields = STATEMENT_TYPES.Statement.map(({ name, type }) =>
    encodeField(type, statement[name]),
  )
  const structHash = keccak256(concatBytes(keccak256(utf8(STATEMENT_TYPE)), ...fields))
  return concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator(domain), structHash)
}

/** The EIP-712 digest of a statement. Throws SyntaxError as `statementBytes` does. */
export function statementDigest(statement: Statement, domain: StatementDomain): Uint8Array {
  return keccak256(statementBytes(statement, domain))
}

/** The operator's 65-byte signature over a statement. */
export function signStatement(
  statement: Statement,
  domain: StatementDomain,
  privateKey: Uint8Array,
): Hex {
  return signDigest(statementDigest(statement, domain), privateKey)
}

/** The lower-case address that signed a statement, or undefined when statement or signature are malformed. */
export function recoverStatementSigner(
  statement: Statement,
  domain: StatementDomain,
  signature: string,
): Hex | undefined {
  try {
    return recoverSigner(statementDigest(statement, domain), signature)
  } catch {
    return undefined
  }
}

/** The name of the first field in which a statement differs from what is known about it, or undefined when all agree. */
export function statementMismatch(
  statement: Statement,
  known: Partial<Statement>,
): keyof Statement | undefined {
  return STATEMENT_TYPES.Statement.map(({ name }) => name).find(
    (name) => known[name] !== undefined && known[name] !== statement[name],
  )
}

/** A 32-byte value that is written without 0x elsewhere (job id, seed) as a statement carries it. */
export function toBytes32(digits: string): Hex {
  return toHex(fromHex(digits))
}
