/** Choosing a worker's attester: the configured one, or what the machine has. */
import fs from 'node:fs'
import { messageOf, UserError } from '../base/errors.ts'
import { readPem, readPemCrl } from '../proof/attestation/pem.ts'
import type { Attester } from './attester.ts'
import { readCollateralFile } from './collateralFile.ts'
import type { EvidenceKind } from './kind.ts'
import { hasNitro, openNitroAttester } from './nitro.ts'
import { openSnpAttester } from './snp.ts'
import { openSoftwareAttester } from './software.ts'
import { openTdxAttester } from './tdx.ts'
import { hasTsm, tsmProvider } from './tsm.ts'

export type AttesterOptions = {
  readonly kind: EvidenceKind
  /** Folder of the software key. */
  readonly folder: string
  /** Files that software evidence measures. */
  readonly measured: readonly string[]
  /** Intel's collateral as JSON, for TDX. Read again for every piece of evidence, so that it can be renewed. */
  readonly collateralFile?: string
  /** VCEK (or VLEK), ASK and ARK as PEM, and after them AMD's revocation list if it is wanted, for SEV-SNP hosts that do not provide them to their guests. */
  readonly certificatesFile?: string
}

/** Opens it. Throws UserError when the machine does not have the hardware, or a file is missing. */
export function openAttester(options: AttesterOptions): Attester {
  const kind = options.kind === 'auto' ? detect() : options.kind
  if (kind === 'nitro') return openNitroAttester()
  if (kind === 'software') return openSoftwareAttester(options.folder, options.measured)
  requireProvider(kind)
  return kind === 'snp' ? openSnp(options) : openTdx(options)
}

function detect(): Exclude<EvidenceKind, 'auto'> {
  if (hasNitro()) return 'nitro'
  if (!hasTsm()) return 'software'
  const provider = tsmProvider()
  if (provider === 'tdx_guest') return 'tdx'
  return provider === 'sev_guest' ? 'snp' : 'software'
}

// Checked at startup rather than with the first job.
function requireProvider(kind: 'tdx' | 'snp'): void {
  const expected = kind === 'tdx' ? 'tdx_guest' : 'sev_guest'
  const provider = tsmProvider()
  if (provider !== expected)
    throw new UserError(`this machine provides ${provider} reports, not ${expected} reports`)
}

function openTdx({ collateralFile }: AttesterOptions): Attester {
  if (collateralFile === undefined)
    throw new UserError(
      "TDX evidence requires Intel's collateral for this platform",
      'Write it to a file with a DCAP tool and pass it with --collateral.',
    )
  return openTdxAttester(() => readCollateralFile(collateralFile))
}

function openSnp({ certificatesFile }: AttesterOptions): Attester {
  if (certificatesFile === undefined) return openSnpAttester()
  try {
    const text = fs.readFileSync(certificatesFile, 'utf8')
    const at = text.indexOf('-----BEGIN X509 CRL-----')
    const [crl] = at < 0 ? [] : readPemCrl(text.slice(at))
    const certificates = readPem(at < 0 ? text : text.slice(0, at))
    return openSnpAttester({ certificates, ...(crl !== undefined && { crl }) })
  } catch (error) {
    throw new UserError(
      `${certificatesFile} does not contain valid certificates: ${messageOf(error)}`,
    )
  }
}
