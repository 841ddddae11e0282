import { cometMethod } from '../method.ts'

export const net_info = cometMethod({
  // See D20.
  summary: 'Peers of this node; none with the embedded engine, which has no network.',
  args: {},
  handler: () => ({ listening: true, listeners: ['Listener(@)'], n_peers: '0', peers: [] }),
})
