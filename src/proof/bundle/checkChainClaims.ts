/** What the chain of a proven anchor says about the draw: the hash of its block, and the operator's range (D78). */
import { bytesToBigint, equalBytes } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { ProofError } from '../mpt.ts'
import { verifyAccountProof, verifyStorageProof } from '../mptAccount.ts'
import type { ProvenAnchor } from './checkAnchor.ts'
import type { BundleAnchor, BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'
import { HISTORY_ADDRESS, HISTORY_WINDOW, historySlot, operatorSlots } from './slots.ts'
import type { BundleTrust } from './trust.ts'

type StateProof = NonNullable<BundleAnchor['proof']>
type Receipt = BundleAnswer['receipt']

/** Constants of contracts/OperatorRegistry.sol. */
const MAX_RANGE = 600_000
const STAKE_PER_UNIT = 100_000_000_000_000n

/** Checks both against the state of the anchor, as far as the bundle proves them. */
export function checkChainClaims(
  findings: Findings,
  { receipt, anchor }: BundleAnswer,
  proven: ProvenAnchor | undefined,
  trust: BundleTrust,
): void {
  const proof = anchor?.proof
  if (proven === undefined || proof === undefined) return
  for (const check of [checkDrawBlock, checkRange])
    try {
      check(findings, receipt, proof, proven, trust)
    } catch (error) {
      if (!(error instanceof ProofError)) throw error
      findings.check(false, '', `a proof about the draw is invalid: ${error.message}`)
    }
}

/** The words of a contract at slots; the proofs are in the same order. Throws ProofError. */
function wordsOf(
  { state }: ProvenAnchor,
  contract: string,
  account: readonly string[],
  slots: readonly (readonly [slot: Uint8Array, proof: readonly string[]])[],
): readonly Uint8Array[] {
  const found = verifyAccountProof(state.root, fromHex(contract), account.map(fromHex))
  if (found === undefined) throw new ProofError(`the chain has no contract ${contract}`)
  return slots.map(([slot, proof]) =>
    verifyStorageProof(found.storageRoot, slot, proof.map(fromHex)),
  )
}

function checkDrawBlock(
  findings: Findings,
  { drawBlock, drawBlockHash }: Receipt,
  { history }: StateProof,
  proven: ProvenAnchor,
): void {
  if (history === undefined || drawBlock === 0) return
  const [stored] = wordsOf(proven, HISTORY_ADDRESS, history.account, [
    [historySlot(drawBlock), history.hash],
  ])
  const isEqual = stored !== undefined && equalBytes(stored, fromHex(drawBlockHash))
  const { height } = proven.state
  const isKept =
    height === undefined || (drawBlock < height && drawBlock >= height - HISTORY_WINDOW)
  // Without its height, the state may be too late or too early to know the block.
  if (!isEqual && (height === undefined || !isKept))
    return findings.unchecked(`block ${drawBlock} of the draw: the state does not know it any more`)
  const holds = findings.check(
    isEqual && isKept,
    `block ${drawBlock} of the draw has the hash ${drawBlockHash} on the chain`,
    `block ${drawBlock} of the draw does not have the hash ${drawBlockHash} on the chain`,
  )
  if (holds)
    findings.proves('receipt.drawBlock', 'receipt.drawBlockHash', 'statement.drawBlockHash')
}

function checkRange(
  findings: Findings,
  { operator, rangeStart, rangeEnd, rangeMax }: Receipt,
  { registry }: StateProof,
  proven: ProvenAnchor,
  trust: BundleTrust,
): void {
  if (registry === undefined) return
  const isRegistry = findings.check(
    registry.contract === trust.registryContract,
    `the range is from the registry ${registry.contract}`,
    `the range is from the registry ${registry.contract}, not ${trust.registryContract}`,
  )
  if (!isRegistry) return
  const slots = operatorSlots(fromHex(operator))
  const [packed, staked] = wordsOf(proven, registry.contract, registry.account, [
    [slots.range, registry.range],
    [slots.stake, registry.stake],
  ])
  // Solidity packs from the low end: uint32 start, uint32 end; uint128 stake.
  const start = Number(bytesToBigint(packed?.subarray(28, 32) ?? new Uint8Array(0)))
  const end = Number(bytesToBigint(packed?.subarray(24, 28) ?? new Uint8Array(0)))
  const stake = bytesToBigint(staked?.subarray(16) ?? new Uint8Array(0))
  if (end === 0) return findings.unchecked(`registry: operator ${operator} is not registered`)
  if (stake < BigInt(end - start) * STAKE_PER_UNIT)
    return findings.unchecked(`registry: the stake of ${operator} does not cover its range`)
  // It may have changed since the draw: then nothing is known about the range at that time.
  if (start !== rangeStart || end !== rangeEnd || rangeMax !== MAX_RANGE)
    return findings.unchecked(
      `registry: the range of ${operator} is ${start} to ${end} of ${MAX_RANGE} there, not that of the receipt`,
    )
  findings.check(true, `the registry gives ${operator} the range ${start} to ${end}`, '')
  findings.proves('receipt.rangeStart', 'receipt.rangeEnd', 'receipt.rangeMax')
}
