/** docs/methods.md: every method of both RPCs and of the job API. */
import { jobApiDocument, operationsOf } from './jobApi.ts'
import { z } from 'zod'
import { cometTable, unsafeCometTable } from '../../consensusRpc/table.ts'
import { DEVELOPMENT_METHODS } from '../../rpc/methods/development/table.ts'
import { METHODS } from '../../rpc/table.ts'
import type { MethodTable } from '../../wire/dispatch.ts'
import { page, table } from './markdown.ts'

/** What a parameter expects: its description, or its JSON type. */
function describe(schema: z.ZodType): string {
  if (schema.description !== undefined) return schema.description
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  )
    return describe(schema.unwrap() as z.ZodType)
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  if (json.type === 'array') return 'array'
  return String(json.type ?? 'any')
}

/** The shape of a result in a few words; for an object, its fields. */
function shape(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { unrepresentable: 'any' })
  return shapeOf(json)
}

type JsonSchema = z.core.JSONSchema.BaseSchema

function shapeOf(json: JsonSchema): string {
  const alternatives = json.anyOf ?? json.oneOf
  if (alternatives !== undefined)
    return [...new Set(alternatives.map((each) => shapeOf(each)))].join(' or ')
  if (json.const !== undefined) return JSON.stringify(json.const)
  switch (json.type) {
    case 'string':
      return textShape(json.pattern)
    case 'array':
      if (json.maxItems === 0) return 'empty array'
      return `array of ${json.items === undefined || typeof json.items === 'boolean' ? 'values' : shapeOf(json.items as JsonSchema)}`
    case 'object': {
      const fields = Object.keys(json.properties ?? {})
      return fields.length > 0 ? `{${fields.join(', ')}}` : 'object'
    }
    default:
      return String(json.type ?? 'any')
  }
}

function textShape(pattern: string | undefined): string {
  if (pattern === undefined) return 'string'
  if (pattern.includes('(?:0|[1-9a-f]')) return 'QUANTITY'
  const size = /\{(\d+)\}\$$/.exec(pattern)?.[1]
  return size === undefined ? 'DATA' : `DATA, ${Number(size) / 2} bytes`
}

/** A row for each method. */
function rowsOf(methods: MethodTable<never>): string[][] {
  return Object.entries(methods).map(([name, method]) => [
    `\`${name}\``,
    Object.entries(method.params)
      .map(
        ([param, schema]) =>
          `${param}${schema.safeParse(undefined).success ? '?' : ''}: ${describe(schema)}`,
      )
      .join('; ') || 'none',
    shape(method.result),
    method.summary,
  ])
}

const COLUMNS = ['method', 'parameters, by position', 'result', 'what it does']

/** The page. */
export function methodsPage(): string {
  const endpoints = [...unsafeCometTable].map(([name, endpoint]) => [
    `\`${name}\``,
    Object.entries(endpoint.args)
      .map(([param, argument]) => `${param}: ${argument.type}`)
      .join('; ') || 'none',
    cometTable.has(name)
      ? endpoint.websocketOnly
        ? 'WebSocket'
        : 'GET, POST, WebSocket'
      : 'only with `rpc.unsafe`',
    endpoint.summary,
  ])
  return page(
    'Methods',
    'A question mark marks optional parameters. `personal_*` and `miner_*` are private: use the IPC socket or a token (`assay token create`).',
    '## Ethereum JSON-RPC',
    'HTTP POST, WebSocket and IPC, at the root path and at `/ethereum`.',
    table(COLUMNS, rowsOf(METHODS)),
    '### Health',
    'GET on the HTTP port. Both answer with JSON: `status`, `height`, `lag` (age of the last block in seconds), `peers` and `syncing`. The Host header must be an IP address, `localhost`, or one of `json-rpc.hosts`.',
    table(
      ['path', 'status', 'what it says'],
      [
        ['`/healthz`', '200', 'The process answers.'],
        [
          '`/readyz`',
          '200 or 503',
          'Whether clients should be sent here; if not, `reasons` says why: the node is catching up, or its last block is older than `json-rpc.ready-lag`.',
        ],
      ],
    ),
    '### For development',
    'Only with `dev.enable` (`--dev`), on a chain created with it.',
    table(COLUMNS, rowsOf(DEVELOPMENT_METHODS)),
    '## Consensus RPC',
    'Arguments and responses are those of CometBFT v0.38.',
    table(['endpoint', 'arguments', 'transport', 'what it does'], endpoints),
    '## Job API',
    'JSON bodies; the whole contract is the OpenAPI 3.1 document at `/openapi.json` of the dispatcher, shown as a page at `/docs`. [Clients](clients.md) are made from it.',
    table(
      ['route', 'operation', 'what it does'],
      operationsOf(jobApiDocument()).map(({ method, path, operationId, summary }) => [
        `${method} \`${path}\``,
        `\`${operationId}\``,
        summary,
      ]),
    ),
  )
}
