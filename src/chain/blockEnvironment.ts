/** Derives the environment that opcodes see from a block's header facts. */
import { bigintToFixedBytes, concatBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import type { TransitionRules } from '../evm/rules.ts'
import type { BlockEnvironment, StateView } from '../evm/types.ts'
import { timestampOf, type BlockHeader } from './block.ts'
import type { ChainRules } from './executed.ts'
import { hardforkAt } from './upgrades/hardfork.ts'

/**
 * The rules of a chain's transactions. Tips go to the proposer. So does the base fee, unless there is stake: the block
 * then distributes it at its end (D18), and the transaction itself credits it to no account.
 */
export function transitionRules({ staking }: Pick<ChainRules, 'staking'>): TransitionRules {
  return { baseFeeSink: staking === undefined ? 'coinbase' : 'burned' }
}

/** PREVRANDAO of a block: Keccak(previous block hash, height as 8 bytes). The proposer can influence it (D51). */
export function prevRandao(previousHash: Uint8Array, height: number): Uint8Array {
  return keccak256(concatBytes(previousHash, bigintToFixedBytes(BigInt(height), 8)))
}

/** The environment of transactions and calls in the block with these facts. `state`: before the block, or after it. */
export function blockEnvironment(
  rules: ChainRules,
  header: Pick<
    BlockHeader,
    'height' | 'timeNs' | 'coinbase' | 'gasLimit' | 'baseFeePerGas' | 'prevRandao'
  >,
  state: Pick<StateView, 'storage'>,
): BlockEnvironment {
  return {
    hardfork: hardforkAt(rules, state, header.height),
    chainId: rules.chainId,
    height: header.height,
    timestamp: timestampOf(header),
    coinbase: header.coinbase,
    gasLimit: header.gasLimit,
    baseFeePerGas: header.baseFeePerGas,
    prevRandao: header.prevRandao,
    blobBaseFee: 1n,
  }
}
