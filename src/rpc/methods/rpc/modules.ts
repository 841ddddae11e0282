import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'

export const rpc_modules = method({
  summary: 'The namespaces that this node serves, each with its version.',
  params: {},
  result: {
    schema: z.record(z.string(), z.string()),
    encode: (namespaces: readonly string[]) =>
      Object.fromEntries(namespaces.map((namespace) => [namespace, '1.0'])),
  },
  handler: ({ network }: Pick<Node, 'network'>) => network.namespaces,
})
