/** The state of firmware by Intel's tables (PCS API, "Get TCB Info" and "Get Enclave Identity": rules of evaluation). */
import { equalBytes } from '../../../base/bytes.ts'
import type { QeIdentity, TcbInfo, TcbStatus } from './collateral.ts'
import type { PckFacts } from './pck.ts'
import type { SgxBody, TdxBody } from './quoteBody.ts'

/** The TCB level of a part of a platform, with its open advisories. */
export type TcbLevel = { readonly tcbStatus: TcbStatus; readonly advisoryIDs: readonly string[] }

type Components = readonly { readonly svn: number }[]

function reaches(actual: ArrayLike<number>, wanted: Components, from = 0): boolean {
  return wanted.every(({ svn }, i) => i < from || (actual[i] ?? -1) >= svn)
}

/** Whether the bytes equal the expected ones under a mask of the same length. */
function equalsMasked(actual: Uint8Array, wanted: Uint8Array, mask: Uint8Array): boolean {
  if (actual.length !== wanted.length || actual.length !== mask.length) return false
  return equalBytes(
    actual.map((byte, i) => byte & (mask[i] ?? 0)),
    wanted.map((byte, i) => byte & (mask[i] ?? 0)),
  )
}

// From TDX 1.5 on the first two numbers are the module's own, and it has levels of its own.
function moduleVersion(body: TdxBody): number {
  return body.teeTcbSvn[1] ?? 0
}

/** The platform's level: the first of the table whose versions are all reached; undefined if there is none. */
export function platformLevel(
  info: TcbInfo,
  pck: PckFacts,
  body: SgxBody | TdxBody,
): TcbLevel | undefined {
  return info.tcbLevels.find(({ tcb }) => {
    if (!reaches(pck.componentSvns, tcb.sgxtcbcomponents) || pck.pceSvn < tcb.pcesvn) return false
    if (body.type === 'sgx') return true
    const from = moduleVersion(body) > 0 ? 2 : 0
    return tcb.tdxtcbcomponents !== undefined && reaches(body.teeTcbSvn, tcb.tdxtcbcomponents, from)
  })
}

/** The level of the TDX module; undefined when Intel does not know the module. */
export function moduleLevel(info: TcbInfo, body: TdxBody): TcbLevel | undefined {
  const version = moduleVersion(body)
  const id = `TDX_${version.toString(16).padStart(2, '0').toUpperCase()}`
  const identity =
    version === 0 ? info.tdxModule : info.tdxModuleIdentities.find((known) => known.id === id)
  if (
    identity === undefined ||
    !equalBytes(body.mrSignerSeam, identity.mrsigner) ||
    !equalsMasked(body.seamAttributes, identity.attributes, identity.attributesMask)
  )
    return undefined
  // Version 0 has no levels of its own: those of the platform cover it.
  if (!('tcbLevels' in identity)) return { tcbStatus: 'UpToDate', advisoryIDs: [] }
  const { tcbLevels } = identity as TcbInfo['tdxModuleIdentities'][number]
  return tcbLevels.find(({ tcb }) => (body.teeTcbSvn[0] ?? 0) >= tcb.isvsvn)
}

/** The level of the quoting enclave; undefined when it is not Intel's. */
export function qeLevel(identity: QeIdentity, report: SgxBody): TcbLevel | undefined {
  if (
    !equalBytes(report.mrSigner, identity.mrsigner) ||
    report.isvProdId !== identity.isvprodid ||
    !equalsMasked(report.miscSelect, identity.miscselect, identity.miscselectMask) ||
    !equalsMasked(report.attributes, identity.attributes, identity.attributesMask)
  )
    return undefined
  return identity.tcbLevels.find(({ tcb }) => report.isvSvn >= tcb.isvsvn)
}
