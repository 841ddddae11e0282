/** The file that lists the hardware that a dispatcher trusts, and the software on it: JSON of HardwareTrust. */
import fs from 'node:fs'
import { z } from 'zod'
import { messageOf, UserError } from '../base/errors.ts'
import type { HardwareTrust } from '../proof/attestation/hardware.ts'
import { TCB_STATUSES } from '../proof/attestation/intel/collateral.ts'

const register = z.string().regex(/^(?:[0-9a-f]{2}){32,64}$/, 'not lower-case hex digits')
const measurementsOf = (names: RegExp) =>
  z
    .array(
      z
        .record(z.string().regex(names, 'not the name of a register'), register)
        .refine((entry) => Object.keys(entry).length > 0, 'an entry names no register'),
    )
    .min(1)
    .max(1024)
const version = z.number().int().min(0).max(255)
const intel = (names: RegExp) => ({
  measurements: measurementsOf(names),
  tcbStatuses: z.array(z.enum(TCB_STATUSES)).min(1).max(TCB_STATUSES.length).exactOptional(),
  minimumEvaluation: z.number().int().min(0).exactOptional(),
})

const schema = z.strictObject({
  nitro: z
    .strictObject({ measurements: measurementsOf(/^pcr(?:[0-9]|[12][0-9]|3[01])$/) })
    .exactOptional(),
  tdx: z.strictObject(intel(/^(?:mrtd|rtmr[0-3])$/)).exactOptional(),
  sgx: z
    .strictObject({
      ...intel(/^(?:mrenclave|mrsigner)$/),
      isvProdId: z.number().int().min(0).max(65_535).exactOptional(),
      minimumIsvSvn: z.number().int().min(0).max(65_535).exactOptional(),
    })
    .refine(
      ({ measurements, isvProdId, minimumIsvSvn }) =>
        measurements.every((entry) => entry['mrenclave'] !== undefined) ||
        (isvProdId !== undefined && minimumIsvSvn !== undefined),
      'an entry with mrsigner alone accepts every program of that signer: name isvProdId and minimumIsvSvn',
    )
    .exactOptional(),
  snp: z
    .strictObject({
      measurements: measurementsOf(/^measurement$/),
      vlekProviders: z.array(z.string().min(1).max(64)).max(16).exactOptional(),
      requireCrl: z.boolean().exactOptional(),
      maxVmpl: z.number().int().min(0).max(3).exactOptional(),
      minimumTcb: z
        .strictObject({
          bootloader: version,
          tee: version,
          snp: version,
          microcode: version,
          fmc: version,
        })
        .exactOptional(),
    })
    .exactOptional(),
})

/** Reads a file. Throws UserError that lists every problem. */
export function readEvidencePolicy(file: string): HardwareTrust {
  let json: unknown
  try {
    json = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UserError(`${file} cannot be read as JSON: ${messageOf(error)}`)
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw new UserError(
    `${file} is not an evidence policy: ${z.prettifyError(parsed.error)}`,
    'List measurements per kind: {"nitro": {"measurements": [{"pcr0": "…"}]}}; kinds are nitro, tdx, sgx and snp.',
  )
}
