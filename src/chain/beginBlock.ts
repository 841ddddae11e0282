/** Work of a block before its first transaction. */
import { storeBlockHash } from '../evm/blockHashes.ts'
import type { Overlay } from '../evm/overlay.ts'
import type { BlockHeader } from './block.ts'
import type { ChainRules } from './executed.ts'
import { applyUpgrades } from './upgrades/apply.ts'

/**
 * Writes the parent's hash (EIP-2935), and applies what genesis or the validators scheduled for this height. Throws
 * UserError if this program does not know the rules that the validators decided on.
 */
export function beginBlock(
  world: Overlay,
  rules: ChainRules,
  parent: Pick<BlockHeader, 'height' | 'hash'>,
): void {
  world.apply(storeBlockHash(world, parent.height, parent.hash))
  applyUpgrades(world, rules, parent.height + 1)
}
