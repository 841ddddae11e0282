import { z } from 'zod'
import { toHex, toHexDigits } from '../../../base/hex.ts'
import { revertMessage } from '../../../evm/revertReason.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { dataShape } from '../../../wire/shapes.ts'
import type { CallManyAnswer } from '../../executions/protocol.ts'
import { callBundles, simulateContext } from '../../parameters/callBundles.ts'
import { callFields } from '../../parameters/callObject.ts'
import { stateOverrides } from '../../parameters/overrides.ts'
import { requireHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'
import type { World } from '../../world.ts'

type Ran = CallManyAnswer['results'][number][number]

/** Erigon writes outputs without 0x. */
const ranShape = z.union([
  z.strictObject({ value: z.string().regex(/^(?:[0-9a-f]{2})*$/) }),
  z.strictObject({ error: z.string() }),
  z.strictObject({ error: z.strictObject({ message: z.string(), data: dataShape }) }),
])

function encodeRan({ status, output, error }: Ran): z.output<typeof ranShape> {
  if (status === 'success') return { value: toHexDigits(output) }
  if (status === 'halt') return { error }
  const message = revertMessage(output)
  return output.length === 0 ? { error: message } : { error: { message, data: toHex(output) } }
}

const callManyResult: Result<CallManyAnswer> = {
  schema: z.array(z.array(ranShape)),
  encode: ({ results }) => results.map((bundle) => bundle.map(encodeRan)),
}

export const eth_callMany = method({
  summary:
    'Executes bundles of calls, each call on the state left by the ones before, each bundle in a block after the one before. Nothing is stored.',
  params: {
    bundles: callBundles,
    context: simulateContext,
    stateOverrides,
    timeout: z.int().nonnegative().nullish().meta({ description: 'milliseconds' }),
  },
  result: callManyResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'executions'>, args) => {
    const { bundles, context, stateOverrides, timeout } = args
    if (bundles.every(({ transactions }) => transactions.length === 0))
      throw new RpcError('server', 'empty bundles')
    const { chainId } = world.chain
    const index = context.transactionIndex ?? -1
    return atBlock(world, context.blockNumber, async ({ chain, block, pending }) => {
      const answer = await world.executions.run({
        kind: 'callMany',
        bundles: bundles.map(({ transactions, blockOverride }) => ({
          calls: transactions.map((call) => callFields(call, chainId)),
          block: blockOverride,
        })),
        height: requireHeader(chain, block).height,
        index: index === -1 ? undefined : index,
        state: stateOverrides,
        timeoutMs: timeout || undefined,
        pending,
      })
      return answer as CallManyAnswer
    })
  },
})
