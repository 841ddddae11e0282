/** The methods as an OpenRPC document (version 1.3), generated from the table. */
import { z } from 'zod'
import { VERSION } from '../../../base/version.ts'
import type { DescribedMethods } from '../../world.ts'

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  void $schema
  return rest
}

function describeMethod([name, { summary, params, result }]: [
  string,
  DescribedMethods[string],
]): object {
  return {
    name,
    summary,
    paramStructure: 'by-position',
    params: Object.entries(params).map(([param, schema]) => ({
      name: param,
      required: !schema.safeParse(undefined).success,
      schema: schemaOf(schema, 'input'),
    })),
    result: { name: 'result', schema: schemaOf(result, 'input') },
  }
}

/** The document for a table of methods. */
export function openRpcDocument(methods: DescribedMethods): object {
  return {
    openrpc: '1.3.2',
    info: { title: 'Assay JSON-RPC', version: VERSION, license: { name: 'Apache-2.0' } },
    methods: Object.entries(methods).map(describeMethod),
  }
}
