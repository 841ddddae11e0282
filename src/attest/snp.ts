/** Evidence of AMD SEV-SNP guests. */
import { toBase64 } from '../base/base64.ts'
import { UserError } from '../base/errors.ts'
import { encodeSnpDocument } from '../proof/attestation/documents.ts'
import { HARDWARE_FORMATS, reportDataOf } from '../proof/attestation/hardware.ts'
import type { Attester } from './attester.ts'
import { readCertificateTable, type SnpCertificates } from './snpCertificates.ts'
import { readTsmReport, type TsmReport } from './tsm.ts'

/** Source of reports; the kernel by default. */
export type ReportSource = (reportData: Uint8Array) => Promise<TsmReport>

/**
 * An attester of this guest. `given` are VCEK or VLEK, its issuer, ARK and AMD's revocation list in DER, for hosts that do not
 * provide them to their guests. Its `attest` rejects with UserError when the machine provides no report, or no certificates are known.
 */
export function openSnpAttester(
  given?: SnpCertificates,
  readReport: ReportSource = readTsmReport,
): Attester {
  const format = HARDWARE_FORMATS.snp
  return {
    level: 'hardware',
    format,
    async attest(subject) {
      const { provider, report, auxiliary } = await readReport(reportDataOf(subject))
      if (provider !== 'sev_guest')
        throw new UserError(`this machine is not an SEV-SNP guest: it provides ${provider} reports`)
      const certified = given ?? readCertificateTable(auxiliary)
      if (certified === undefined)
        throw new UserError(
          "the host does not provide the certificates of the chip's key",
          "Fetch VCEK, ASK and ARK from AMD's key distribution service and pass them with --certificates.",
        )
      const document = encodeSnpDocument({ report, ...certified })
      return { level: 'hardware', format, document: toBase64(document) }
    },
  }
}
