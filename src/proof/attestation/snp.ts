/** Reports of AMD SEV-SNP, signed by the chip's VCEK, whose chain ends at one of AMD's roots. */
import { equalBytes } from '../../base/bytes.ts'
import { USAGE, verifyChain } from './chain.ts'
import type { AttestationContext } from './context.ts'
import { AttestationRefused, type Ledger } from './ledger.ts'
import { requireMeasurement, type Measurement } from './measurement.ts'
import { AMD_ROOTS } from './roots.ts'
import { readTcbVersion, readVcek, type SnpTcb } from './snpCertificate.ts'
import { parseSnpReport } from './snpReport.ts'
import { parseCertificate } from './x509.ts'

const VCEK = 0
/** Bits of the guest policy (56860, table 10). */
const POLICY_MIGRATION = 1n << 18n
const POLICY_DEBUG = 1n << 19n

export type SnpPolicy = {
  /** Accepted launches, by "measurement". */
  readonly measurements: readonly Measurement[]
  /** The least privileged level that may request reports, 0 to 3; 0 (the guest's own firmware and kernel) by default. */
  readonly maxVmpl?: number
  /** The lowest accepted firmware; any that AMD certified by default. */
  readonly minimumTcb?: SnpTcb
  /** SHA-256 of accepted roots, hex digits; AMD's own by default. */
  readonly roots?: readonly string[]
}

/** A report and the DER certificates of its chip: VCEK, ASK, ARK. */
export type SnpDocument = {
  readonly report: Uint8Array
  readonly certificates: readonly Uint8Array[]
}

function sameTcb(a: SnpTcb, b: SnpTcb): boolean {
  return !isBelow(a, b) && !isBelow(b, a)
}

function isBelow(tcb: SnpTcb, minimum: SnpTcb): boolean {
  return (
    tcb.bootloader < minimum.bootloader ||
    tcb.tee < minimum.tee ||
    tcb.snp < minimum.snp ||
    tcb.microcode < minimum.microcode ||
    tcb.fmc < minimum.fmc
  )
}

/** Verifies a report whose data (64 bytes) must be `reportData`. Throws AttestationRefused, and other errors on malformed bytes. */
export async function verifySnp(
  { crypto, nowMs }: AttestationContext,
  ledger: Ledger,
  document: SnpDocument,
  { reportData, policy }: { readonly reportData: Uint8Array; readonly policy: SnpPolicy },
): Promise<void> {
  const report = parseSnpReport(document.report)
  const chain = document.certificates.map(parseCertificate)
  await verifyChain(crypto, ledger, chain, {
    name: 'AMD',
    roots: policy.roots ?? AMD_ROOTS,
    nowMs,
    leafUsage: USAGE.digitalSignature,
  })
  const [leaf] = chain
  if (leaf === undefined || report.signingKey !== VCEK)
    throw new AttestationRefused('the report is not signed with a VCEK')
  const { key } = leaf
  ledger.require(
    key.type === 'ecdsa' &&
      key.curve === 'P-384' &&
      (await crypto.verifyEcdsa(key.curve, key.point, report.signature, report.signedBytes)),
    "the report's signature holds",
    "the report's signature does not hold",
  )
  const { product, tcb, chipId } = readVcek(leaf)
  ledger.require(
    equalBytes(report.chipId, chipId),
    'the chip is the one of the certificate',
    'the chip is not the one of the certificate',
  )
  ledger.require(
    sameTcb(readTcbVersion(report.reportedTcb, product), tcb),
    'the firmware is the one of the certificate',
    'the firmware is not the one of the certificate',
  )
  const { minimumTcb } = policy
  if (minimumTcb !== undefined)
    ledger.require(
      !isBelow(tcb, minimumTcb),
      'the firmware is new enough',
      'the firmware is older than accepted',
    )
  ledger.require(
    report.vmpl <= (policy.maxVmpl ?? 0),
    `the report was asked for at VMPL ${report.vmpl}`,
    `the report was asked for at VMPL ${report.vmpl}, which is not accepted`,
  )
  ledger.require(
    equalBytes(report.reportData, reportData),
    'report_data is the expected one',
    'report_data is not the hash of this statement and the nonce',
  )
  requireMeasurement(ledger, new Map([['measurement', report.measurement]]), policy.measurements)
  ledger.require(
    (report.policy & POLICY_MIGRATION) === 0n,
    'the guest cannot be migrated by an agent',
    'the guest may be migrated by an agent',
  )
  ledger.require(
    (report.policy & POLICY_DEBUG) === 0n,
    'the guest cannot be debugged',
    'the guest may be debugged: bit 19 of its policy is set',
  )
}
