/** Evidence of Intel TDX guests. */
import { toBase64 } from '../base/base64.ts'
import { UserError } from '../base/errors.ts'
import { encodeIntelDocument } from '../proof/attestation/documents.ts'
import { HARDWARE_FORMATS, reportDataOf } from '../proof/attestation/hardware.ts'
import type { IntelCollateral } from '../proof/attestation/intel/collateral.ts'
import type { Attester } from './attester.ts'
import type { ReportSource } from './snp.ts'
import { readTsmReport } from './tsm.ts'

/**
 * An attester of this guest. `collateral` provides Intel's current statements about the platform: evidence includes
 * them, so that it can be verified offline. Its `attest` rejects with UserError when the machine provides no quote.
 */
export function openTdxAttester(
  collateral: () => Promise<IntelCollateral>,
  readReport: ReportSource = readTsmReport,
): Attester {
  const format = HARDWARE_FORMATS.tdx
  return {
    level: 'hardware',
    format,
    async attest(subject) {
      const { provider, report } = await readReport(reportDataOf(subject))
      if (provider !== 'tdx_guest')
        throw new UserError(`this machine is not a TDX guest: it provides ${provider} reports`)
      const document = encodeIntelDocument({ quote: report, collateral: await collateral() })
      return { level: 'hardware', format, document: toBase64(document) }
    },
  }
}
