import type { BlockHeader } from '../../chain/block.ts'
import type { Receipt } from '../../chain/receipt.ts'

/**
 * The tips per gas at percentiles (0…100, ascending) of a block's gas: transactions are ordered by tip and weighted by
 * the gas they used. Zeros for an empty block.
 */
export function rewardsAt(
  header: Pick<BlockHeader, 'baseFeePerGas' | 'gasUsed'>,
  receipts: readonly Pick<Receipt, 'effectiveGasPrice' | 'gasUsed'>[],
  percentiles: readonly number[],
): readonly bigint[] {
  const tips = receipts
    .map(({ effectiveGasPrice, gasUsed }) => ({
      tip: effectiveGasPrice - header.baseFeePerGas,
      gasUsed,
    }))
    .sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : 0))
  let at = 0
  let gasSoFar = tips[0]?.gasUsed ?? 0n
  return percentiles.map((percentile) => {
    const threshold = BigInt(Math.floor((Number(header.gasUsed) * percentile) / 100))
    while (gasSoFar < threshold && at < tips.length - 1) {
      at++
      gasSoFar += tips[at]?.gasUsed ?? 0n
    }
    return tips[at]?.tip ?? 0n
  })
}
