/** From a receipt up to the chain: Merkle path, storage of the contract, state root, signed header. */
import { bytesToBigint, equalBytes } from '../../base/bytes.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { merkleRootOfProof } from '../comet/merkle.ts'
import { receiptDigest } from '../job/receipt.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import { ProofError } from '../mpt.ts'
import { verifyAccountProof, verifyStorageProof } from '../mptAccount.ts'
import { checkHeader } from './checkHeader.ts'
import { time } from './checkTimes.ts'
import type { BundleAnchor, BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import { anchorSlots } from './slots.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

type StateProof = NonNullable<BundleAnchor['proof']>

/** A state of the chain that the verifier trusts. */
export type ChainState = {
  readonly root: Uint8Array
  /** The block after which the chain had it; undefined for chains whose headers are not part of the bundle. */
  readonly height: number | undefined
}

/** An anchor under a state that the verifier trusts. `at`: seconds since 1970. */
export type ProvenAnchor = { readonly at: number; readonly state: ChainState }

/** The anchor of an answer, as far as the bundle contains it. Returns it if it is proven. */
export function checkAnchor(
  findings: Findings,
  { receipt, anchor }: BundleAnswer,
  domain: RecordDomain,
  trust: BundleTrust,
  context: BundleContext,
): ProvenAnchor | undefined {
  if (anchor === undefined) {
    findings.unchecked('anchor: the receipt is not anchored on a chain, or not yet')
    return undefined
  }
  const { count, index, aunts, interval } = anchor
  const root = merkleRootOfProof(context.sha256, receiptDigest(receipt, domain), {
    index,
    total: count,
    aunts: aunts.map(fromHex),
  })
  const isInTree = findings.check(
    root !== undefined && interval > 0,
    `the receipt is number ${index + 1} of ${count} in interval ${interval}, under the root ${root === undefined ? '' : toHex(root)}`,
    'the Merkle path of the receipt does not fit a tree of that size',
  )
  const isContract = findings.check(
    anchor.contract === trust.receiptsContract,
    `the root is for contract ${anchor.contract}`,
    `the root is for contract ${anchor.contract}, not ${trust.receiptsContract}`,
  )
  if (root === undefined || !isInTree || !isContract) return undefined
  if (anchor.proof === undefined) {
    findings.unchecked('anchor: the bundle has no proof that this root is on the chain')
    return undefined
  }
  const state = stateOf(findings, anchor.proof, domain, trust, context)
  if (state === undefined) return undefined
  const at = checkStorage(findings, { anchor, proof: anchor.proof, root, state, domain })
  if (at === undefined || !state.isTrusted) return undefined
  findings.proves('anchor')
  findings.establishes('anchored')
  return { at, state }
}

function stateOf(
  findings: Findings,
  { signedHeader, stateRoot }: StateProof,
  domain: RecordDomain,
  trust: BundleTrust,
  context: BundleContext,
): (ChainState & { readonly isTrusted: boolean }) | undefined {
  if ((signedHeader === undefined) === (stateRoot === undefined)) {
    findings.check(false, '', 'the proof must name exactly one state root')
    return undefined
  }
  if (signedHeader !== undefined) {
    const { holds, isTrusted } = checkHeader(findings, signedHeader, domain, trust, context)
    // A header commits to the state after the block before it (D6).
    const { appHash: root, height } = signedHeader.header
    return holds ? { root, height: height - 1, isTrusted } : undefined
  }
  const root = fromHex(stateRoot ?? '0x')
  if (trust.stateRoot === undefined)
    findings.unchecked(`state root ${stateRoot}: ask a node you trust whether the chain has it`)
  else
    findings.check(
      equalBytes(root, trust.stateRoot),
      `${stateRoot} is the state root you trust`,
      `${stateRoot} is not the state root you trust`,
    )
  return { root, height: undefined, isTrusted: trust.stateRoot !== undefined }
}

/** Returns when the root was anchored, in seconds since 1970; undefined if it was not. */
function checkStorage(
  findings: Findings,
  claim: {
    readonly anchor: BundleAnchor
    readonly proof: StateProof
    readonly root: Uint8Array
    readonly state: ChainState
    readonly domain: RecordDomain
  },
): number | undefined {
  const { anchor, proof, root, state, domain } = claim
  const slots = anchorSlots(fromHex(domain.dispatcher), BigInt(anchor.interval))
  try {
    const account = verifyAccountProof(
      state.root,
      fromHex(anchor.contract),
      proof.account.map(fromHex),
    )
    if (account === undefined) throw new ProofError('the chain has no such contract')
    const stored = verifyStorageProof(account.storageRoot, slots.root, proof.root.map(fromHex))
    const word = verifyStorageProof(account.storageRoot, slots.count, proof.count.map(fromHex))
    const count = bytesToBigint(word.subarray(24))
    const at = Number(bytesToBigint(word.subarray(16, 24)))
    const isThere = findings.check(
      equalBytes(stored, root) && count === BigInt(anchor.count),
      `the state holds that root and count for interval ${anchor.interval} of the dispatcher, anchored ${time(at)}`,
      'the state holds another root or count for that interval of the dispatcher',
    )
    return isThere ? at : undefined
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    findings.check(false, '', `the proof of the anchor is invalid: ${error.message}`)
    return undefined
  }
}
