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
 * An attester of this guest. `collateral` gives Intel's current statements about the platform: evidence carries them, so that
 * it can be verified offline. Its `attest` rejects with UserError when the machine gives no quote.
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
        throw new UserError(`this machine is no TDX guest: its reports are those of ${provider}`)
      const document = encodeIntelDocument({ quote: report, collateral: await collateral() })
      return { level: 'hardware', format, document: toBase64(document) }
    },
  }
}
