/** The subject of the tests' evidence, and its verification at a fixed time. */
import { toBase64 } from '../../src/base/base64.ts'
import { verifyEvidence, type EvidenceVerdict } from '../../src/proof/attestation.ts'
import type { HardwareFormat, HardwareTrust } from '../../src/proof/attestation/hardware.ts'
import { webCrypto } from '../../src/proof/attestation/webCrypto.ts'

export const NOW = Date.UTC(2026, 0, 2)
export const DAY = 86_400_000
/** A day before and after that instant, as certificates have it. */
export const AROUND_NOW = { notBeforeMs: NOW - DAY, notAfterMs: NOW + DAY } as const

export const subject = {
  statementHash: new Uint8Array(32).fill(1),
  nonce: new Uint8Array(32).fill(2),
}

/** The verdict on a hardware document about that subject. */
export function judgeHardware(
  format: HardwareFormat,
  document: Uint8Array,
  hardware: HardwareTrust,
  nowMs = NOW,
): Promise<EvidenceVerdict> {
  return verifyEvidence(
    { level: 'hardware', format, document: toBase64(document) },
    subject,
    { software: 'refuse', hardware },
    { crypto: webCrypto(globalThis.crypto.subtle), nowMs },
  )
}
