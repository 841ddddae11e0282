/** Suggests fees for a transaction sent now: the next base fee (D18), and the tip that recent blocks suggest. */
import type { BlockHeader } from '../../chain/block.ts'
import type { ChainRules } from '../../chain/executed.ts'
import { baseFeeAt } from '../../chain/fees.ts'
import type { ChainReader } from '../../chain/reader.ts'

export type FeeOracle = {
  /** Base fee of a block made now. */
  nextBaseFee(): bigint
  /** Tip per gas that gets a transaction included soon, and meets this node's minimum gas price. */
  suggestedTip(): bigint
}

const SAMPLE_BLOCKS = 20
const SAMPLES_PER_BLOCK = 3
const PERCENTILE = 60
/** Below this, wallets assume that the chain lacks EIP-1559. */
const MIN_TIP = 10_000_000n
const MAX_TIP = 500_000_000_000n
/** Negligible tips tell nothing about what others pay. */
const IGNORED_TIP = 2n

function compareBigint(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The lowest tips that were enough for inclusion in a block. */
function sampleTips(chain: ChainReader, header: BlockHeader): readonly bigint[] {
  if (header.gasUsed === 0n) return []
  return (chain.receipts(header.height) ?? [])
    .map((receipt) => receipt.effectiveGasPrice - header.baseFeePerGas)
    .filter((tip) => tip >= IGNORED_TIP)
    .sort(compareBigint)
    .slice(0, SAMPLES_PER_BLOCK)
}

/** An oracle over the chain. `nowNs` returns nanoseconds since 1970; `minGasPrice` is this node's minimum. */
export function createFeeOracle(
  chain: ChainReader,
  rules: ChainRules,
  options: { readonly minGasPrice: bigint; readonly nowNs: () => bigint },
): FeeOracle {
  const { nowNs } = options
  const samples = new Map<number, readonly bigint[]>()
  let typical = { height: -1, tip: MIN_TIP }

  const nextFee = (): bigint => baseFeeAt(chain, rules, nowNs())

  function typicalTip(): bigint {
    const head = chain.latestHeight()
    if (typical.height === head) return typical.tip
    const oldest = head - SAMPLE_BLOCKS + 1
    for (const height of samples.keys()) if (height < oldest) samples.delete(height)
    for (let height = Math.max(oldest, chain.earliestHeight()); height <= head; height++) {
      const header = samples.has(height) ? undefined : chain.header(height)
      if (header) samples.set(height, sampleTips(chain, header))
    }
    const tips = [...samples.values()].flat().sort(compareBigint)
    const tip = tips[Math.floor(((tips.length - 1) * PERCENTILE) / 100)] ?? MIN_TIP
    typical = { height: head, tip: tip < MIN_TIP ? MIN_TIP : tip > MAX_TIP ? MAX_TIP : tip }
    return typical.tip
  }

  return {
    nextBaseFee: nextFee,
    suggestedTip() {
      const tip = typicalTip()
      // The base fee may fall before the transaction is in a block.
      const needed = options.minGasPrice - rules.minBaseFee
      return tip < needed ? needed : tip
    },
  }
}
