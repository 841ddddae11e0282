/** Checks a claimed receipt against the proven result of its transaction (D6). Pure. */
import { equalBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import type { DeterministicResult } from './comet/data.ts'
import { ProofError } from './mpt.ts'
import { encodeReceipt, type EncodedReceiptFields } from './receiptEncoding.ts'

export type ReceiptClaim = EncodedReceiptFields & { readonly gasUsed: bigint }

/** Checks status, gas, bloom and logs of a receipt against a proven result. Throws ProofError. */
export function verifyReceiptClaim(result: DeterministicResult, claim: ReceiptClaim): void {
  if (result.data.length === 0)
    throw new ProofError('the transaction was refused in its block: it has no receipt')
  if (!equalBytes(keccak256(encodeReceipt(claim)), result.data))
    throw new ProofError('the receipt does not hash to what the result of its transaction says')
  if (claim.gasUsed !== result.gasUsed)
    throw new ProofError('gasUsed of the receipt is not that of the result')
}
