/** Headers of simulated blocks: what is not overridden follows from the previous block. */
import { bigintToBytes, concatBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import { logsBloom } from '../../chain/bloom.ts'
import { nextBaseFee } from '../../chain/fees.ts'
import { HEADER_SIZE } from '../../chain/headerSize.ts'
import { listRoot } from '../../chain/listRoot.ts'
import type { ChainRules } from '../../chain/executed.ts'
import { RpcError } from '../../wire/errors.ts'
import type { BlockOverrides } from '../parameters/overrides.ts'

/** Maximum number of blocks in one simulation, including those between the given ones. */
const MAX_BLOCKS = 256
/** Seconds between blocks without an explicit time. */
const INTERVAL_S = 12n
const NS = 1_000_000_000n
const NO_RANDAO = new Uint8Array(32)

/** Heights and times of the given blocks and of those between them. Throws RpcError when they are out of order. */
export function completeSequence<Block extends { readonly blockOverrides: BlockOverrides }>(
  base: BlockHeader,
  blocks: readonly Block[],
): readonly {
  readonly height: number
  readonly seconds: bigint
  readonly block: Block | undefined
}[] {
  const sequence: { height: number; seconds: bigint; block: Block | undefined }[] = []
  let height = base.height
  let seconds = timestampOf(base)
  for (const block of blocks) {
    const { number, time } = block.blockOverrides
    const next = number == null ? height + 1 : Number(number)
    if (next <= height)
      throw new RpcError('blockNumberOrder', `block numbers must be in order: ${next} <= ${height}`)
    if (next - base.height > MAX_BLOCKS) throw new RpcError('clientLimit')
    while (height + 1 < next) {
      height++
      seconds += INTERVAL_S
      sequence.push({ height, seconds, block: undefined })
    }
    const at = time ?? seconds + INTERVAL_S
    if (at <= seconds)
      throw new RpcError('blockTimeOrder', `block timestamps must be in order: ${at} <= ${seconds}`)
    height = next
    seconds = at
    sequence.push({ height, seconds, block })
  }
  return sequence
}

/** The header of a simulated block before its calls. Its state root is that of the base: no trie is built. */
export function openHeader(
  rules: ChainRules,
  parent: BlockHeader,
  at: { readonly height: number; readonly seconds: bigint },
  overrides: BlockOverrides,
  hasFees: boolean,
): BlockHeader {
  const { feeRecipient, coinbase, prevRandao, random, baseFeePerGas, baseFee } = overrides
  const timeNs = at.seconds * NS
  const following = hasFees ? nextBaseFee(parent, timeNs - parent.timeNs, rules.minBaseFee) : 0n
  return {
    ...parent,
    height: at.height,
    parentHash: parent.hash,
    timeNs,
    coinbase: feeRecipient ?? coinbase ?? parent.coinbase,
    gasLimit: overrides.gasLimit ?? parent.gasLimit,
    prevRandao: prevRandao ?? random ?? NO_RANDAO,
    baseFeePerGas: baseFeePerGas ?? baseFee ?? following,
    transactionsRoot: listRoot([]),
    receiptsRoot: listRoot([]),
    logsBloom: logsBloom([]),
    gasUsed: 0n,
    size: HEADER_SIZE,
  }
}

/** The header with a hash of its own, derived from parent, height and roots. */
export function sealHeader(header: BlockHeader): BlockHeader {
  const { parentHash, height, transactionsRoot, receiptsRoot, timeNs } = header
  const facts = [parentHash, transactionsRoot, receiptsRoot]
  const numbers = [bigintToBytes(BigInt(height)), bigintToBytes(timeNs)]
  return { ...header, hash: keccak256(concatBytes(...facts, ...numbers)) }
}
