/**
 * Evidence that an answer came out of an attested worker (D34). It always binds the whole statement and the dispatcher's
 * nonce, never the answer alone, so that no evidence can be shown for another job.
 */
import type { Hex } from '../base/hex.ts'
import { SOFTWARE_FORMAT, verifySoftwareDocument } from './attestationSoftware.ts'

/** How much evidence is worth. `software-insecure`: anybody who holds an ordinary key could have made it. */
export type EvidenceLevel = 'hardware' | 'software-insecure'

/** As it travels and is stored; `document` is base64. */
export type Evidence = {
  readonly level: EvidenceLevel
  readonly format: string
  readonly document: string
}

/** What evidence must be about: SHA-256 of the statement's bytes, and the dispatcher's seed. 32 bytes each. */
export type EvidenceExpectation = {
  readonly statementHash: Uint8Array
  readonly nonce: Uint8Array
}

/** Whom the verifier believes. `software`: refuse such evidence, take it of any key, or of the listed public keys only. */
export type EvidenceTrust = { readonly software: 'refuse' | 'any' | readonly Hex[] }

/** The verdict. `reason` says why evidence was refused; '' when it holds. */
export type EvidenceVerdict = {
  readonly ok: boolean
  readonly level: EvidenceLevel
  readonly reason: string
}

/** Checks evidence. Never throws: malformed documents are evidence that does not hold. */
export function verifyEvidence(
  evidence: Evidence,
  expected: EvidenceExpectation,
  trust: EvidenceTrust,
): EvidenceVerdict {
  if (evidence.format !== SOFTWARE_FORMAT)
    return { ok: false, level: evidence.level, reason: `unknown format "${evidence.format}"` }
  // The level follows from the format; a document of software must not pass for hardware.
  if (evidence.level !== 'software-insecure')
    return { ok: false, level: 'software-insecure', reason: 'software evidence claims hardware' }
  const reason = verifySoftwareDocument(evidence.document, expected, trust.software)
  return { ok: reason === '', level: 'software-insecure', reason }
}
