/**
 * Evidence that an answer came out of an attested worker (D34). It always binds the whole statement and the dispatcher's
 * nonce, never the answer alone, so that no evidence can be shown for another job.
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

/** Whom the verifier believes. */
export type EvidenceTrust = {
  /** Refuse such evidence, take it of any key, or of the listed public keys only. */
  readonly software: 'refuse' | 'any' | readonly Hex[]
  /** Refused altogether unless given. */
  readonly hardware?: HardwareTrust
}

/** The verdict. */
export type EvidenceVerdict = {
  readonly ok: boolean
  readonly level: EvidenceLevel
  /** Why evidence was refused; '' when it holds. */
  readonly reason: string
  /** What was checked and held, one sentence each, in order; those before the refusal when it was refused. */
  readonly checks: readonly string[]
}

const MAX_DOCUMENT_LENGTH = 1 << 20

/** Checks evidence. Never rejects: malformed documents are evidence that does not hold. */
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
    return { ok: true, level, reason: '', checks: ledger.lines }
  } catch (error) {
    const reason =
      error instanceof AttestationRefused
        ? error.message
        : `the document is malformed: ${messageOf(error)}`
    return { ok: false, level, reason, checks: ledger.lines }
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
