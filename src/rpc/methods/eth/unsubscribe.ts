import { scalarText } from '../../../base/boundedSchema.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'

export const eth_unsubscribe = method({
  // See D45.
  summary: 'Ends a subscription of this connection; false if there is none with this id.',
  params: { id: scalarText().meta({ description: 'subscription id, as given by eth_subscribe' }) },
  result: booleanResult,
  handler: (_: object, { id }, { connection }) => {
    if (connection === undefined)
      throw new RpcError('methodNotFound', 'notifications not supported')
    const subscription = connection.subscriptions.get(id)
    subscription?.abort()
    return connection.subscriptions.delete(id)
  },
})
