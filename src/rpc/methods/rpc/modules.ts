import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'

export const rpc_modules = method({
  summary: 'Namespaces served by this node, each with its version.',
  params: {},
  result: {
    schema: z.record(z.string(), z.string()),
    encode: (namespaces: readonly string[]) =>
      Object.fromEntries(namespaces.map((namespace) => [namespace, '1.0'])),
  },
  handler: ({ network }: Pick<World, 'network'>) => network.namespaces,
})
