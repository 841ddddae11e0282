import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { toQuantity } from '../../../base/quantity.ts'
import type { BlockHeader } from '../../../chain/block.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hashShape, quantityShape } from '../../../wire/shapes.ts'
import { LATEST, requireHeader } from '../../parameters/selector.ts'
import type { World } from '../../world.ts'

/** From which height on something is kept, and of how many of the last blocks it is, unless it is kept for ever. */
type Kept = { readonly oldest: number; readonly window: number | undefined }

type Capabilities = {
  readonly head: BlockHeader
  readonly blocks: Kept
  readonly state: Kept
  readonly proofs: Kept
}

const keptShape = z.strictObject({
  disabled: z.boolean(),
  oldestBlock: quantityShape,
  deleteStrategy: z
    .strictObject({ type: z.literal('window'), retentionBlocks: quantityShape })
    .optional(),
})

function encodeKept({ oldest, window }: Kept): z.output<typeof keptShape> {
  return {
    disabled: false,
    oldestBlock: toQuantity(oldest),
    ...(window !== undefined && {
      deleteStrategy: { type: 'window' as const, retentionBlocks: toQuantity(window) },
    }),
  }
}

const capabilitiesResult: Result<Capabilities> = {
  schema: z.strictObject({
    head: z.strictObject({ number: quantityShape, hash: hashShape }),
    state: keptShape,
    tx: keptShape,
    logs: keptShape,
    receipts: keptShape,
    blocks: keptShape,
    stateproofs: keptShape,
  }),
  encode({ head, blocks, state, proofs }) {
    const kept = encodeKept(blocks)
    return {
      head: { number: toQuantity(head.height), hash: toHex(head.hash) },
      state: encodeKept(state),
      tx: kept,
      logs: kept,
      receipts: kept,
      blocks: kept,
      stateproofs: encodeKept(proofs),
    }
  },
}

export const eth_capabilities = method({
  summary:
    'From which block on this node has blocks, transactions, receipts, logs, state and proofs of state.',
  params: {},
  result: capabilitiesResult,
  handler: ({ chain, retention }: Pick<World, 'chain' | 'retention'>): Capabilities => {
    const head = requireHeader(chain, LATEST)
    const { blocks, states, proofs } = retention
    const state = { oldest: chain.earliestState(), window: states }
    const provable = proofs === undefined ? 0 : head.height - proofs + 1
    return {
      head,
      blocks: { oldest: chain.earliestHeight(), window: blocks },
      state,
      proofs: { oldest: Math.max(state.oldest, provable), window: proofs ?? states },
    }
  },
})
