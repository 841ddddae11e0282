import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import type { AccountRange } from '../../executions/protocol.ts'
import { blockNumber, findHeight } from '../../parameters/selector.ts'
import type { World } from '../../world.ts'
import { accountRangeResult, MAX_ACCOUNTS } from './accountRange.ts'

export const debug_dumpBlock = method({
  // See D16a.
  summary:
    'The first 256 accounts in the state after a block, by address hash, with code and storage.',
  params: { block: blockNumber },
  result: accountRangeResult,
  handler: async ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { block }) => {
    const height = findHeight(chain, block)
    if (height === undefined)
      throw new RpcError(
        'server',
        `block #${'number' in block ? block.number : block.tag} not found`,
      )
    return (await executions.run({
      kind: 'accountRange',
      height,
      start: EMPTY_BYTES,
      limit: MAX_ACCOUNTS,
      withCode: true,
      withStorage: true,
    })) as AccountRange
  },
})
