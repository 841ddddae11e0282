/** Evidence of hardware by the name of its format. */
import { concatBytes } from '../../base/bytes.ts'
import type { AttestationContext } from './context.ts'
import { decodeIntelDocument, decodeSnpDocument } from './documents.ts'
import { verifyIntel, type IntelPolicy } from './intel/dcap.ts'
import type { Ledger } from './ledger.ts'
import { verifyNitro, type NitroPolicy } from './nitro.ts'
import { verifySnp, type SnpPolicy } from './snp.ts'

/** Names of the formats in `evidence.format`. */
export const HARDWARE_FORMATS = {
  /** The document as returned by the Nitro security module. */
  nitro: 'aws-nitro-v1',
  /** CBOR of quote and collateral. */
  tdx: 'intel-tdx-v1',
  sgx: 'intel-sgx-v1',
  /** CBOR of report and certificates. */
  snp: 'amd-snp-v1',
} as const

export type HardwareFormat = (typeof HARDWARE_FORMATS)[keyof typeof HARDWARE_FORMATS]

/** Which hardware is trusted, and which programs on it. Kinds that are not listed are refused. */
export type HardwareTrust = {
  readonly nitro?: NitroPolicy
  readonly tdx?: IntelPolicy
  readonly sgx?: IntelPolicy
  readonly snp?: SnpPolicy
}

/** What evidence must bind, 32 bytes each. */
type Subject = { readonly statementHash: Uint8Array; readonly nonce: Uint8Array }

/** The 64 bytes of report data that bind a statement and the nonce on TDX, SGX and SEV-SNP. */
export function reportDataOf({ statementHash, nonce }: Subject): Uint8Array {
  return concatBytes(statementHash, nonce)
}

/** Whether a name is one of the formats. */
export function isHardwareFormat(format: string): format is HardwareFormat {
  return Object.values<string>(HARDWARE_FORMATS).includes(format)
}

type Check = (
  context: AttestationContext,
  ledger: Ledger,
  document: Uint8Array,
  subject: Subject,
) => Promise<void>

function checkOf(format: HardwareFormat, trust: HardwareTrust): Check | undefined {
  const { nitro, tdx, sgx, snp } = trust
  const checks: Record<HardwareFormat, Check | undefined> = {
    [HARDWARE_FORMATS.nitro]: nitro && checkNitro(nitro),
    [HARDWARE_FORMATS.tdx]: tdx && checkIntel('tdx', tdx),
    [HARDWARE_FORMATS.sgx]: sgx && checkIntel('sgx', sgx),
    [HARDWARE_FORMATS.snp]: snp && checkSnp(snp),
  }
  return checks[format]
}

function checkNitro(policy: NitroPolicy): Check {
  return (context, ledger, document, { statementHash, nonce }) => {
    const binding = { userData: statementHash, nonce, publicKey: null }
    return verifyNitro(context, ledger, document, { binding, policy })
  }
}

function checkIntel(type: 'tdx' | 'sgx', policy: IntelPolicy): Check {
  return (context, ledger, document, subject) =>
    verifyIntel(context, ledger, decodeIntelDocument(document), {
      type,
      reportData: reportDataOf(subject),
      policy,
    })
}

function checkSnp(policy: SnpPolicy): Check {
  return (context, ledger, document, subject) =>
    verifySnp(context, ledger, decodeSnpDocument(document), {
      reportData: reportDataOf(subject),
      policy,
    })
}

/** Verifies a document of a format. Throws AttestationRefused with the reason, and other errors on malformed bytes. */
export async function verifyHardwareDocument(
  context: AttestationContext,
  ledger: Ledger,
  { format, document }: { readonly format: HardwareFormat; readonly document: Uint8Array },
  { subject, trust }: { readonly subject: Subject; readonly trust: HardwareTrust },
): Promise<void> {
  const check = checkOf(format, trust)
  ledger.require(
    check !== undefined,
    `evidence of the format ${format} is trusted here`,
    `evidence of the format ${format} is not trusted here`,
  )
  await check?.(context, ledger, document, subject)
}
