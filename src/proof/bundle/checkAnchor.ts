/** From a receipt up to the chain: Merkle path, storage of the contract, state root, signed header. */
import {
  bigintToFixedBytes,
  bytesToBigint,
  concatBytes,
  equalBytes,
  padLeft,
} from '../../base/bytes.ts'
import { fromHex, toHex, toUpperHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { checkLightBlock } from '../comet/light/checkBlock.ts'
import { LightError } from '../comet/light/errors.ts'
import { signedBy } from '../comet/light/signers.ts'
import { formatTime } from '../comet/time.ts'
import { CommitError, verifyCommit } from '../comet/verifyCommit.ts'
import { merkleRootOfProof } from '../comet/merkle.ts'
import { receiptDigest } from '../job/receipt.ts'
import type { RecordDomain } from '../job/typedStruct.ts'
import { ProofError } from '../mpt.ts'
import { verifyAccountProof, verifyStorageProof } from '../mptAccount.ts'
import type { BundleAnchor, BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import type { BundleContext, BundleTrust } from './trust.ts'

type StateProof = NonNullable<BundleAnchor['proof']>
type SignedHeader = NonNullable<StateProof['signedHeader']>

/** The anchor of an answer, as far as the bundle contains it. */
export function checkAnchor(
  findings: Findings,
  { receipt, anchor }: BundleAnswer,
  domain: RecordDomain,
  trust: BundleTrust,
  context: BundleContext,
): void {
  if (anchor === undefined)
    return findings.unchecked('anchor: the receipt is not anchored on a chain, or not yet')
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
  if (root === undefined || !isInTree || !isContract) return
  if (anchor.proof === undefined)
    return findings.unchecked('anchor: the bundle has no proof that this root is on the chain')
  const stateRoot = stateRootOf(findings, anchor.proof, domain, trust, context)
  if (stateRoot !== undefined)
    checkStorage(findings, { anchor, proof: anchor.proof, root, stateRoot, domain })
}

function stateRootOf(
  findings: Findings,
  proof: StateProof,
  domain: RecordDomain,
  trust: BundleTrust,
  context: BundleContext,
): Uint8Array | undefined {
  const { signedHeader, stateRoot } = proof
  if ((signedHeader === undefined) === (stateRoot === undefined)) {
    findings.check(false, '', 'the proof must name exactly one state root')
    return undefined
  }
  if (signedHeader !== undefined)
    return checkHeader(findings, signedHeader, domain, trust, context)
      ? signedHeader.header.appHash
      : undefined
  const given = fromHex(stateRoot ?? '0x')
  if (trust.stateRoot === undefined)
    findings.unchecked(`state root ${stateRoot}: ask a node you trust whether the chain has it`)
  else
    findings.check(
      equalBytes(given, trust.stateRoot),
      `${stateRoot} is the state root you trust`,
      `${stateRoot} is not the state root you trust`,
    )
  return given
}

function checkHeader(
  findings: Findings,
  block: SignedHeader,
  domain: RecordDomain,
  { chainId, validatorsHash, headerHash }: BundleTrust,
  context: BundleContext,
): boolean {
  const { header, commit, validators } = block
  const hash = commit.blockId.hash
  const name = `header ${header.height}`
  try {
    checkLightBlock(context, chainId ?? header.chainId, block)
    const expected = { height: header.height, blockId: commit.blockId }
    verifyCommit(context, header.chainId, validators, expected, commit)
  } catch (error) {
    if (!(error instanceof LightError) && !(error instanceof CommitError)) throw error
    return findings.check(false, '', `${name} is not proven: ${error.message}`)
  }
  findings.check(
    true,
    `${name} ${toUpperHexDigits(hash)} of ${header.chainId} at ${formatTime(header.timeNs)} is ${signedBy(block)}, with more than two thirds of the voting power`,
    '',
  )
  if (chainId === undefined) findings.unchecked(`chain identity: pin ${header.chainId} to check it`)
  const sameNumber = findings.check(
    /_(\d+)-\d+$/.exec(header.chainId)?.[1] === String(domain.chainId),
    `the chain has the id ${domain.chainId}, which everything is signed for`,
    `the header is of ${header.chainId}, but everything is signed for chain ${domain.chainId}`,
  )
  if (validatorsHash === undefined && headerHash === undefined)
    findings.unchecked(
      `validator set: pin ${toUpperHexDigits(header.validatorsHash)}, or the header, to check it`,
    )
  const known =
    (validatorsHash === undefined || equalBytes(validatorsHash, header.validatorsHash)) &&
    (headerHash === undefined || equalBytes(headerHash, hash))
  if (validatorsHash !== undefined || headerHash !== undefined)
    findings.check(
      known,
      `${headerHash === undefined ? 'its validators are the ones' : 'it is the header'} you trust`,
      `${name} or its validators are not the ones you trust`,
    )
  return sameNumber && known
}

function checkStorage(
  findings: Findings,
  claim: {
    readonly anchor: BundleAnchor
    readonly proof: StateProof
    readonly root: Uint8Array
    readonly stateRoot: Uint8Array
    readonly domain: RecordDomain
  },
): void {
  const { anchor, proof, root, stateRoot, domain } = claim
  const slot = anchorSlot(fromHex(domain.dispatcher), BigInt(anchor.interval))
  const next = bigintToFixedBytes(bytesToBigint(slot) + 1n, 32)
  try {
    const account = verifyAccountProof(
      stateRoot,
      fromHex(anchor.contract),
      proof.account.map(fromHex),
    )
    if (account === undefined) throw new ProofError('the chain has no such contract')
    const stored = verifyStorageProof(account.storageRoot, slot, proof.root.map(fromHex))
    const word = verifyStorageProof(account.storageRoot, next, proof.count.map(fromHex))
    const count = bytesToBigint(word.subarray(24))
    findings.check(
      equalBytes(stored, root) && count === BigInt(anchor.count),
      `the state holds that root and count for interval ${anchor.interval} of the dispatcher, anchored ${formatTime(bytesToBigint(word.subarray(16, 24)) * 1_000_000_000n)}`,
      'the state holds another root or count for that interval of the dispatcher',
    )
  } catch (error) {
    if (!(error instanceof ProofError)) throw error
    findings.check(false, '', `the proof of the anchor is invalid: ${error.message}`)
  }
}

/** The storage slot of an anchor's root in contracts/JobReceipts.sol; its count is in the next one. */
export function anchorSlot(dispatcher: Uint8Array, interval: bigint): Uint8Array {
  const list = keccak256(concatBytes(padLeft(dispatcher, 32), new Uint8Array(32)))
  return keccak256(concatBytes(bigintToFixedBytes(interval, 32), list))
}
