import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { filterId } from '../../subscriptions/filterIds.ts'
import type { World } from '../../world.ts'

export const eth_uninstallFilter = method({
  summary: 'Removes a filter; false if there is none with this id.',
  params: { id: filterId },
  result: booleanResult,
  handler: ({ filters }: Pick<World, 'filters'>, { id }) => filters.uninstall(id),
})
