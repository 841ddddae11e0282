import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { filterId } from '../../subscriptions/filterIds.ts'
import type { Node } from '../../world.ts'

export const eth_uninstallFilter = method({
  summary: 'Removes a filter; false when there is none with this id.',
  params: { id: filterId },
  result: booleanResult,
  handler: ({ filters }: Pick<Node, 'filters'>, { id }) => filters.uninstall(id),
})
