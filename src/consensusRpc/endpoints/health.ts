import { cometMethod } from '../method.ts'

export const health = cometMethod({
  summary: 'Returns an empty object while the node is running.',
  args: {},
  handler: () => ({}),
})
