/**
 * Evidence that an answer came from an attested worker (D34). It always binds the whole statement and the dispatcher's
 * nonce, never the answer alone, so evidence cannot be reused for another job.
 */
import { fromBase64 } from '../base/base64.ts'
import { messageOf } from '../base/errors.ts'
import type { Hex } from '../base/hex.ts'
import type { AttestationContext } from './attestation/context.ts'
import {
  isHardwareFormat,
  verifyHardwareDocument,
  type HardwareTrust,
} from './attestation/hardware.ts'
import { AttestationRefused, createLedger, type Ledger } from './attestation/ledger.ts'
import { SOFTWARE_FORMAT, verifySoftwareDocument } from './attestationSoftware.ts'

/** Strength of evidence. `software-insecure`: anyone with an ordinary key could have created it. */
export type EvidenceLevel = 'hardware' | 'software-insecure'

/** Evidence as sent and stored; `document` is base64. */
export type Evidence = {
  readonly level: EvidenceLevel
  readonly format: string
  readonly document: string
}

/** What evidence must bind: SHA-256 of the statement's bytes, and the dispatcher's seed. 32 bytes each. */
export type EvidenceExpectation = {
  readonly statementHash: Uint8Array
  readonly nonce: Uint8Array
}

/** What the verifier trusts. */
export type EvidenceTrust = {
  /** Refuse such evidence, accept it from any key, or only from the listed public keys. */
  readonly software: 'refuse' | 'any' | readonly Hex[]
  /** Refused entirely if absent. */
  readonly hardware?: HardwareTrust
}

/** The verdict. */
export type EvidenceVerdict = {
  readonly ok: boolean
  readonly level: EvidenceLevel
  /** Why evidence was refused; '' if it is valid. */
  readonly reason: string
  /** The checks that passed, one sentence each, in order; up to the failed one if evidence was refused. */
  readonly checks: readonly string[]
  /** What valid evidence leaves open, one sentence each (D79a). */
  readonly unchecked: readonly string[]
}

const MAX_DOCUMENT_LENGTH = 1 << 20

/** Checks evidence. Never rejects: malformed documents are invalid evidence. */
export async function verifyEvidence(
  evidence: Evidence,
  expected: EvidenceExpectation,
  trust: EvidenceTrust,
  context: AttestationContext,
): Promise<EvidenceVerdict> {
  const ledger = createLedger()
  // The level follows from the format; a document of software must not pass for hardware.
  const level = isHardwareFormat(evidence.format) ? 'hardware' : 'software-insecure'
  try {
    await checkEvidence(context, ledger, evidence, { level, expected, trust })
    return { ok: true, level, reason: '', checks: ledger.lines, unchecked: ledger.open }
  } catch (error) {
    const reason =
      error instanceof AttestationRefused
        ? error.message
        : `the document is malformed: ${messageOf(error)}`
    return { ok: false, level, reason, checks: ledger.lines, unchecked: ledger.open }
  }
}

async function checkEvidence(
  context: AttestationContext,
  ledger: Ledger,
  { level: claimed, format, document }: Evidence,
  {
    level,
    expected,
    trust,
  }: {
    readonly level: EvidenceLevel
    readonly expected: EvidenceExpectation
    readonly trust: EvidenceTrust
  },
): Promise<void> {
  if (!isHardwareFormat(format) && format !== SOFTWARE_FORMAT)
    throw new AttestationRefused(`unknown format "${format}"`)
  ledger.require(
    claimed === level,
    `evidence of the format ${format} is of the level ${level}`,
    `evidence of the level ${level} claims ${claimed}`,
  )
  const bytes = document.length > MAX_DOCUMENT_LENGTH ? undefined : fromBase64(document)
  if (bytes === undefined) throw new AttestationRefused('the document is not base64 or too long')
  if (isHardwareFormat(format))
    await verifyHardwareDocument(
      context,
      ledger,
      { format, document: bytes },
      { subject: expected, trust: trust.hardware ?? {} },
    )
  else verifySoftwareDocument(ledger, bytes, expected, trust.software)
}
