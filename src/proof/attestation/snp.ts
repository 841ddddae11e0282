/** Reports of AMD SEV-SNP, signed by the chip's VCEK or a provider's VLEK, whose chain ends at one of AMD's roots (D79a). */
import { equalBytes } from '../../base/bytes.ts'
import { USAGE, verifyChain } from './chain.ts'
import type { AttestationContext } from './context.ts'
import { requireNotRevoked } from './crl.ts'
import { AttestationRefused, type Ledger } from './ledger.ts'
import { requireMeasurement, type Measurement } from './measurement.ts'
import { AMD_ROOTS } from './roots.ts'
import {
  readEndorsement,
  readTcbVersion,
  type EndorsementFacts,
  type SnpTcb,
} from './snpCertificate.ts'
import { parseSnpReport, type SnpReport } from './snpReport.ts'
import { parseCertificate, type Certificate } from './x509.ts'

const VCEK = 0
const VLEK = 1
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
  /** Cloud service providers whose VLEKs are accepted, as AMD names them in their certificates; none by default. */
  readonly vlekProviders?: readonly string[]
  /** Refuse documents without AMD's revocation list; false by default. */
  readonly requireCrl?: boolean
  /** SHA-256 of accepted roots, hex digits; AMD's own by default. */
  readonly roots?: readonly string[]
}

/** A report, the DER certificates of its key (VCEK, ASK, ARK, or VLEK, ASVK, ARK), and AMD's revocation list. */
export type SnpDocument = {
  readonly report: Uint8Array
  readonly certificates: readonly Uint8Array[]
  readonly crl?: Uint8Array
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

/** AMD's list, which its root signs, names revoked keys that sign the certificates of chips and providers. */
async function checkRevocation(
  context: AttestationContext,
  ledger: Ledger,
  { crl }: SnpDocument,
  chain: readonly Certificate[],
  { requireCrl = false }: SnpPolicy,
): Promise<void> {
  const issuer = chain.at(-1)
  if (crl !== undefined && issuer !== undefined)
    return requireNotRevoked(context, ledger, crl, {
      name: 'AMD',
      issuer,
      certificates: chain.slice(1, -1),
    })
  if (requireCrl)
    throw new AttestationRefused(
      "the document carries no revocation list of AMD's, which is required",
    )
  ledger.leave('revocation: the document carries no list of AMD')
}

/** The key in the certificate is of the kind that the report names: of this chip, or of an accepted provider. */
function requireSigner(
  ledger: Ledger,
  report: SnpReport,
  { chipId, provider }: EndorsementFacts,
  { vlekProviders = [] }: SnpPolicy,
): void {
  if (report.signingKey === VCEK)
    return ledger.require(
      chipId !== undefined && equalBytes(report.chipId, chipId),
      'the chip is the one of the certificate',
      'the chip is not the one of the certificate',
    )
  ledger.require(
    provider !== undefined && vlekProviders.includes(provider),
    `the key is a VLEK of ${provider}`,
    provider === undefined
      ? 'the certificate is not one of a VLEK'
      : `the key is a VLEK of ${JSON.stringify(provider)}, which is not accepted`,
  )
  ledger.leave('chip: a VLEK is the same for all chips of its provider')
}

/** Verifies a report whose data (64 bytes) must be `reportData`. Throws AttestationRefused, and other errors on malformed bytes. */
export async function verifySnp(
  context: AttestationContext,
  ledger: Ledger,
  document: SnpDocument,
  { reportData, policy }: { readonly reportData: Uint8Array; readonly policy: SnpPolicy },
): Promise<void> {
  const { crypto, nowMs } = context
  const report = parseSnpReport(document.report)
  const chain = document.certificates.map(parseCertificate)
  await verifyChain(crypto, ledger, chain, {
    name: 'AMD',
    roots: policy.roots ?? AMD_ROOTS,
    nowMs,
    leafUsage: USAGE.digitalSignature,
  })
  const [leaf] = chain
  if (leaf === undefined || (report.signingKey !== VCEK && report.signingKey !== VLEK))
    throw new AttestationRefused('the report is not signed with a VCEK or a VLEK')
  await checkRevocation(context, ledger, document, chain, policy)
  const { key } = leaf
  ledger.require(
    key.type === 'ecdsa' &&
      key.curve === 'P-384' &&
      (await crypto.verifyEcdsa(key.curve, key.point, report.signature, report.signedBytes)),
    "the report's signature holds",
    "the report's signature does not hold",
  )
  const endorsement = readEndorsement(leaf)
  const { product, tcb } = endorsement
  requireSigner(ledger, report, endorsement, policy)
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
