import { z } from 'zod'
import { oneOfForms, parseToFirstIssue, scalarText } from '../../../base/boundedSchema.ts'
import { randomId } from '../../../events/randomId.ts'
import { describeIssue } from '../../../wire/arguments.ts'
import { structOf } from '../../../wire/goWords.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method, type Result } from '../../../wire/method.ts'
import { fixedShape } from '../../../wire/shapes.ts'
import { SUBSCRIPTION_KINDS, type SubscriptionWorld } from '../../subscriptions/subscriptions.ts'

const subscriptionIdResult: Result<string> = { schema: fixedShape(16), encode: (id) => id }

const optionSchemas = () => [...SUBSCRIPTION_KINDS.values()].map(({ options }) => options)

export const eth_subscribe = method({
  // See D45.
  summary:
    'Subscribes to newHeads, logs, newPendingTransactions, transactionReceipts or syncing over WebSocket or IPC; notifications carry the returned id.',
  params: {
    name: scalarText().meta({
      description: 'newHeads, logs, newPendingTransactions, transactionReceipts or syncing',
    }),
    options: oneOfForms(
      optionSchemas,
      z.unknown().meta({
        description:
          'newHeads: {includeTransactions}; logs: {address, topics}; newPendingTransactions: true for full transactions; transactionReceipts: {transactionHashes}',
      }),
    ),
  },
  result: subscriptionIdResult,
  handler: (world: SubscriptionWorld, { name, options }, { connection, profile }) => {
    if (connection === undefined)
      throw new RpcError('methodNotFound', 'notifications not supported')
    const kind = SUBSCRIPTION_KINDS.get(name)
    if (kind === undefined)
      throw new RpcError('methodNotFound', `no "${name}" subscription in eth namespace`)
    const parsed = parseToFirstIssue(kind.options, options)
    if (!parsed.success)
      throw new RpcError(
        'invalidParams',
        `invalid argument 1: ${describeIssue(parsed.error.issues[0], structOf(kind.options))}`,
      )
    if (connection.subscriptions.size >= world.limits.subscriptions)
      throw new RpcError(
        'limitExceeded',
        `too many subscriptions: at most ${world.limits.subscriptions} per connection`,
      )

    const id = randomId()
    const controller = new AbortController()
    connection.subscriptions.set(id, controller)
    kind.start(world, parsed.data, {
      profile,
      signal: controller.signal,
      push: (result) => void connection.notify(id, result),
    })
    return id
  },
})
