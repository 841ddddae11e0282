import { cometMethod } from '../method.ts'

export const net_info = cometMethod({
  summary: 'Peers of this node; the embedded engine has no network and so none (D20).',
  args: {},
  handler: () => ({ listening: true, listeners: ['Listener(@)'], n_peers: '0', peers: [] }),
})
