/** Judging the platform behind a quote by Intel's collateral: revocation, firmware, quoting enclave. */
import type { z } from 'zod'
import { utf8 } from '../../../base/bytes.ts'
import { USAGE, verifyChain } from '../chain.ts'
import type { AttestationContext } from '../context.ts'
import { requireNotRevoked } from '../crl.ts'
import { AttestationRefused, refuseUnless, type Ledger } from '../ledger.ts'
import { parseCertificate, type Certificate } from '../x509.ts'
import {
  qeIdentitySchema,
  tcbInfoSchema,
  type IntelCollateral,
  type TcbStatus,
} from './collateral.ts'
import { readPck } from './pck.ts'
import type { SgxBody, TdxBody } from './quoteBody.ts'
import { moduleLevel, platformLevel, qeLevel, type TcbLevel } from './tcb.ts'

const MAX_STATEMENT_LENGTH = 1 << 20

export type Platform = {
  readonly body: SgxBody | TdxBody
  readonly qeReport: SgxBody
  /** PCK first, root last. */
  readonly chain: readonly Certificate[]
  readonly roots: readonly string[]
  readonly policy: {
    readonly tcbStatuses?: readonly TcbStatus[]
    readonly minimumEvaluation?: number
  }
}

/** One of Intel's two signed texts. */
type SignedText = {
  readonly name: string
  readonly text: string
  readonly signature: Uint8Array
  readonly chain: readonly Certificate[]
}

async function requireSigned(
  { crypto, nowMs }: AttestationContext,
  ledger: Ledger,
  { name, text, signature, chain }: SignedText,
  roots: readonly string[],
): Promise<void> {
  // A platform's own key also chains to Intel's root, two steps further down; it must not sign statements about
  // platforms.
  refuseUnless(chain.length === 2, `the ${name} is not signed by a key right below the root`)
  const rules = { name: `${name} signing`, roots, nowMs, leafUsage: USAGE.digitalSignature }
  await verifyChain(crypto, ledger, chain, rules)
  const key = chain[0]?.key
  ledger.require(
    key?.type === 'ecdsa' && (await crypto.verifyEcdsa('P-256', key.point, signature, utf8(text))),
    `Intel signed the ${name}`,
    `Intel did not sign the ${name}`,
  )
}

/** Parses a text whose signature was verified. Throws SyntaxError. */
function readSignedText<Schema extends z.ZodType>(
  { name, text }: SignedText,
  schema: Schema,
): z.output<Schema> {
  if (text.length > MAX_STATEMENT_LENGTH) throw new SyntaxError(`the ${name} is too long`)
  const parsed = schema.safeParse(JSON.parse(text))
  if (!parsed.success) throw new SyntaxError(`the ${name} is not of a known form`)
  return parsed.data
}

function requireCurrent(
  ledger: Ledger,
  name: string,
  stated: {
    readonly issueDate: number
    readonly nextUpdate: number
    readonly tcbEvaluationDataNumber: number
  },
  { nowMs, minimum }: { readonly nowMs: number; readonly minimum: number },
): void {
  ledger.require(
    stated.issueDate <= nowMs && nowMs <= stated.nextUpdate,
    `the ${name} is current`,
    `the ${name} is outside its dates`,
  )
  ledger.require(
    stated.tcbEvaluationDataNumber >= minimum,
    `the ${name} is evaluation ${stated.tcbEvaluationDataNumber}`,
    `the ${name} is evaluation ${stated.tcbEvaluationDataNumber}, older than accepted`,
  )
}

function requireLevel(
  ledger: Ledger,
  name: string,
  level: TcbLevel | undefined,
  accepted: readonly TcbStatus[],
): void {
  const open = level?.advisoryIDs ?? []
  const state = [level?.tcbStatus ?? 'unknown to Intel', ...open].join(' ')
  ledger.require(
    level !== undefined && accepted.includes(level.tcbStatus),
    `the ${name} is ${state}`,
    `the ${name} is ${state}, which is not accepted`,
  )
}

/** Verifies the collateral and judges the platform by it. Throws AttestationRefused with the reason. */
export async function verifyPlatform(
  context: AttestationContext,
  ledger: Ledger,
  collateral: IntelCollateral,
  { body, qeReport, chain, roots, policy }: Platform,
): Promise<void> {
  const info: SignedText = {
    name: 'TCB info',
    text: collateral.tcbInfo,
    signature: collateral.tcbInfoSignature,
    chain: collateral.tcbInfoChain.map(parseCertificate),
  }
  const identity: SignedText = {
    name: 'quoting enclave identity',
    text: collateral.qeIdentity,
    signature: collateral.qeIdentitySignature,
    chain: collateral.qeIdentityChain.map(parseCertificate),
  }
  await requireSigned(context, ledger, info, roots)
  await requireSigned(context, ledger, identity, roots)
  await requireRevocations(context, ledger, collateral, { chain, signers: [info, identity] })

  const { tcbStatuses = ['UpToDate'], minimumEvaluation: minimum = 0 } = policy
  const tcb = readSignedText(info, tcbInfoSchema)
  const qe = readSignedText(identity, qeIdentitySchema)
  const times = { nowMs: context.nowMs, minimum }
  requireCurrent(ledger, info.name, tcb, times)
  requireCurrent(ledger, identity.name, qe, times)
  const [leaf] = chain
  if (leaf === undefined) throw new AttestationRefused('the PCK chain is empty')
  const pck = readPck(leaf)
  const tdx = body.type === 'tdx'
  ledger.require(
    tcb.id === (tdx ? 'TDX' : 'SGX') &&
      qe.id === (tdx ? 'TD_QE' : 'QE') &&
      tcb.fmspc.toLowerCase() === pck.fmspc &&
      tcb.pceId.toLowerCase() === pck.pceId,
    `the collateral is about this kind of platform (${pck.fmspc})`,
    `the collateral is not about this kind of platform (${pck.fmspc})`,
  )
  requireLevel(ledger, 'quoting enclave', qeLevel(qe, qeReport), tcbStatuses)
  requireLevel(ledger, 'platform', platformLevel(tcb, pck, body), tcbStatuses)
  if (body.type === 'tdx') requireLevel(ledger, 'TDX module', moduleLevel(tcb, body), tcbStatuses)
}

async function requireRevocations(
  context: AttestationContext,
  ledger: Ledger,
  { rootCrl, pckCrl }: IntelCollateral,
  {
    chain,
    signers,
  }: { readonly chain: readonly Certificate[]; readonly signers: readonly SignedText[] },
): Promise<void> {
  const [pck, authority, root] = chain
  if (pck === undefined || authority === undefined || root === undefined || chain.length > 3)
    throw new AttestationRefused('the PCK chain does not have three certificates')
  const issued = [authority, ...signers.flatMap((signer) => signer.chain.slice(0, -1))]
  await requireNotRevoked(context, ledger, rootCrl, {
    name: 'root',
    issuer: root,
    certificates: issued,
  })
  await requireNotRevoked(context, ledger, pckCrl, {
    name: 'PCK',
    issuer: authority,
    certificates: [pck],
  })
}
