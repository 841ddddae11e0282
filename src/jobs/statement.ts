/** Signs statements, and recovers their signers. */
import { fromHex, toHex, type Hex } from '../base/hex.ts'
import { statementDigest, type Statement } from '../proof/job/statement.ts'
import type { RecordDomain } from '../proof/job/typedStruct.ts'
import { recoverSigner, signDigest } from './signature.ts'

/** The operator's 65-byte signature over a statement. */
export function signStatement(
  statement: Statement,
  domain: RecordDomain,
  privateKey: Uint8Array,
): Hex {
  return signDigest(statementDigest(statement, domain), privateKey)
}

/** The lower-case address that signed a statement, or undefined when statement or signature are malformed. */
export function recoverStatementSigner(
  statement: Statement,
  domain: RecordDomain,
  signature: string,
): Hex | undefined {
  try {
    return recoverSigner(statementDigest(statement, domain), signature)
  } catch {
    return undefined
  }
}

/** Converts a 32-byte value that is written without 0x elsewhere (job id, seed) to its form in a statement. */
export function toBytes32(digits: string): Hex {
  return toHex(fromHex(digits))
}
