/** What an operator asks the chain of `chain_rpc_url`. Jobs do not wait for a node that is away. */
import type { DrawBlock } from '../../proof/job/job.ts'
import type { EvmChain } from '../chain/chain.ts'

const RETRY_MS = 30_000

export type OperatorChain = {
  /** The chain's id: operators' signatures must not be good for another one. Undefined while the node does not answer. */
  chainId(): Promise<bigint | undefined>
  /** Whether the chain is known to have another block at that height: then the draw was not bound to it (D32). */
  contradicts(block: DrawBlock): Promise<boolean>
}

/** The id is remembered once there is one; before, it is asked for every half minute. */
export function operatorChain(chain: EvmChain): OperatorChain {
  let known: bigint | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    async chainId() {
      if (known !== undefined || performance.now() - askedAt < RETRY_MS) return known
      askedAt = performance.now()
      known = await chain.chainId().catch(() => undefined)
      return known
    },
    async contradicts({ number, hash }) {
      const there = await chain.blockHash(number).catch(() => undefined)
      return there !== undefined && there !== hash
    },
  }
}
