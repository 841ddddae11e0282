/** An operator's queries to the chain at `chain_rpc_url`. Jobs do not wait for an unreachable node. */
import type { DrawBlock } from '../../proof/job/job.ts'
import type { OperatorConfig } from '../../config/operator.ts'
import type { SelectionRange } from '../../proof/vrfSelection.ts'
import type { EvmChain } from '../onchain/chain.ts'
import { registeredRange } from '../registry/registry.ts'

const RETRY_MS = 30_000

export type OperatorChain = {
  /**
   * The chain's id: operators' signatures must not be valid on another one. Undefined while the node does not respond.
   */
  chainId(): Promise<bigint | undefined>
  /** Whether the chain is known to have a different block at that height: then the draw was not bound to it (D32). */
  contradicts(block: DrawBlock): Promise<boolean>
  /** The operator's selection range in the registry. */
  registeredRange(): Promise<SelectionRange | undefined>
}

/** The id is cached once known; until then, it is polled every 30 seconds. */
export function operatorChain(
  chain: EvmChain,
  { registry_contract, node_id }: Pick<OperatorConfig, 'registry_contract' | 'node_id'>,
): OperatorChain {
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
    registeredRange: () =>
      registeredRange(chain, registry_contract, node_id).catch(() => undefined),
  }
}
