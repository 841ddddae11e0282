import { cometMethod } from '../method.ts'

export const health = cometMethod({
  summary: 'Answers an empty object while the node runs.',
  args: {},
  handler: () => ({}),
})
