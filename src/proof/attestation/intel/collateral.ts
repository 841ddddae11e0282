/** Intel's signed statements about platforms and quoting enclaves (Provisioning Certification Service API, version 4). */
import { z } from 'zod'
import { tryFromHexDigits } from '../../../base/hex.ts'
import { parseTime } from '../../comet/time.ts'

/** The collateral needed to verify a quote. Signatures are r || s; chains are DER, leaf first. */
export type IntelCollateral = {
  /** The exact text that is signed: the value of "tcbInfo" in Intel's answer. */
  readonly tcbInfo: string
  readonly tcbInfoSignature: Uint8Array
  readonly tcbInfoChain: readonly Uint8Array[]
  /** The exact text that is signed: the value of "enclaveIdentity" in Intel's answer. */
  readonly qeIdentity: string
  readonly qeIdentitySignature: Uint8Array
  readonly qeIdentityChain: readonly Uint8Array[]
  /** DER of the lists of the root, and of the authority that issued the PCK certificate. */
  readonly rootCrl: Uint8Array
  readonly pckCrl: Uint8Array
}

/** Intel's names for the state of firmware; everything except UpToDate requires some action. */
export const TCB_STATUSES = [
  'UpToDate',
  'SWHardeningNeeded',
  'ConfigurationNeeded',
  'ConfigurationAndSWHardeningNeeded',
  'OutOfDate',
  'OutOfDateConfigurationNeeded',
  'Revoked',
] as const
export type TcbStatus = (typeof TCB_STATUSES)[number]

const time = z.string().transform((text, context) => {
  const timeNs = parseTime(text)
  if (timeNs !== undefined) return Number(timeNs / 1_000_000n)
  context.addIssue('not a time')
  return z.NEVER
})
const hexBytes = z.string().transform((text, context) => {
  const bytes = tryFromHexDigits(text)
  if (bytes !== undefined) return bytes
  context.addIssue('not hex digits')
  return z.NEVER
})
const svn = z.number().int().min(0).max(0xffff)
const components = z.array(z.object({ svn })).length(16)
const status = z.enum(TCB_STATUSES)
const advisories = z.array(z.string()).default([])
const isvLevels = z.array(
  z.object({ tcb: z.object({ isvsvn: svn }), tcbStatus: status, advisoryIDs: advisories }),
)
const tdxModule = { mrsigner: hexBytes, attributes: hexBytes, attributesMask: hexBytes }
const dates = { issueDate: time, nextUpdate: time, tcbEvaluationDataNumber: z.number().int() }

/** TCB Info, version 3, of SGX or TDX. Unknown fields are ignored, as Intel adds some. */
export const tcbInfoSchema = z.object({
  id: z.enum(['SGX', 'TDX']),
  version: z.literal(3),
  ...dates,
  fmspc: z.string(),
  pceId: z.string(),
  tdxModule: z.object(tdxModule).optional(),
  tdxModuleIdentities: z
    .array(z.object({ id: z.string(), ...tdxModule, tcbLevels: isvLevels }))
    .default([]),
  tcbLevels: z.array(
    z.object({
      tcb: z.object({
        sgxtcbcomponents: components,
        pcesvn: svn,
        tdxtcbcomponents: components.optional(),
      }),
      tcbStatus: status,
      advisoryIDs: advisories,
    }),
  ),
})
export type TcbInfo = z.output<typeof tcbInfoSchema>

/** Enclave Identity, version 2, of a quoting enclave. */
export const qeIdentitySchema = z.object({
  id: z.enum(['QE', 'TD_QE']),
  version: z.literal(2),
  ...dates,
  miscselect: hexBytes,
  miscselectMask: hexBytes,
  attributes: hexBytes,
  attributesMask: hexBytes,
  mrsigner: hexBytes,
  isvprodid: svn,
  tcbLevels: isvLevels,
})
export type QeIdentity = z.output<typeof qeIdentitySchema>
