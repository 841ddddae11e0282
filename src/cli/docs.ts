/** The references under docs/, made from the tables in the code. scripts/docs.mjs writes and checks them. */
import { z } from 'zod'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { environmentName, type KeyTable } from '../config/key.ts'
import { nodeKeys } from '../config/node.ts'
import { optionalOperatorKeys, requiredOperatorKeys } from '../config/operatorKeys.ts'
import { TRANSACTION_EVENTS } from '../consensus/evm/events.ts'
import { cometTable } from '../rpc/comet/table.ts'
import { METHODS } from '../rpc/table.ts'
import { ERROR_SLUGS } from '../verify/dispatcher/apiError.ts'
import { RPC_ERRORS } from '../wire/errors.ts'

const MADE = '<!-- Made by npm run docs from the code. Do not edit. -->'

/** Documents by file name. */
export function renderDocs(): Readonly<Record<string, string>> {
  return {
    'methods.md': methods(),
    'events.md': events(),
    'errors.md': errors(),
    'config.md': config(),
  }
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

function page(title: string, ...parts: readonly (string | readonly string[])[]): string {
  return `${[MADE, '', `# ${title}`, ...parts.flatMap((part) => ['', ...(typeof part === 'string' ? [part] : part)])].join('\n')}\n`
}

/** What a parameter expects: its own description, or its JSON type. */
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

/** The shape of an answer in a few words; an object lists its fields. */
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
  if (pattern === undefined) return 'text'
  if (pattern.includes('(?:0|[1-9a-f]')) return 'QUANTITY'
  const size = /\{(\d+)\}\$$/.exec(pattern)?.[1]
  return size === undefined ? 'DATA' : `DATA, ${Number(size) / 2} bytes`
}

function methods(): string {
  const rows = Object.entries(METHODS).map(([name, method]) => [
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
  const endpoints = [...cometTable].map(([name, endpoint]) => [
    `\`${name}\``,
    Object.entries(endpoint.args)
      .map(([param, argument]) => `${param}: ${argument.type}`)
      .join('; ') || 'none',
    endpoint.websocketOnly ? 'WebSocket' : 'GET, POST, WebSocket',
    endpoint.summary,
  ])
  return page(
    'Methods',
    'A question mark marks what may be left out. `personal_*` and `miner_*` are private: use the IPC socket or a token (`assay token create`).',
    '## Ethereum JSON-RPC',
    'HTTP POST, WebSocket and IPC, at the plain address and at `/ethereum`.',
    table(['method', 'parameters, by position', 'result', 'what it does'], rows),
    '## Consensus RPC',
    'Arguments and answers are those of CometBFT v0.38.',
    table(['endpoint', 'arguments', 'transport', 'what it does'], endpoints),
    '## Job API',
    'POST with a JSON body; the OpenAPI document is served at `/openapi.json`.',
    table(
      ['path', 'body', 'result'],
      [
        [
          '`/api/job/submit`',
          '{from, verify, user?, tag?, job: {tag, prompt, model, params?}}',
          'job id',
        ],
        ['`/api/job/result`', '{job_id}', 'array of result records'],
        ['`/api/job/detail`', '{job_id}', 'detail record'],
      ],
    ),
  )
}

function events(): string {
  return page(
    'Events',
    "Subscribe at `/websocket` of the consensus RPC, for example to `tm.event='Tx' AND assay.recipient='0x…'`. A block's events are sent once it is on disk.",
    table(
      ['tm.event', 'content'],
      [
        ['NewBlock', 'block, block_id and result_finalize_block'],
        ['NewBlockHeader', 'header'],
        ['NewBlockEvents', 'height, events, num_txs'],
        ['Tx', 'TxResult of one transaction'],
        ['ValidatorSetUpdates', 'validator_updates'],
      ],
    ),
    '## Attributes of a transaction',
    ...TRANSACTION_EVENTS.flatMap((event) => [
      `**\`${event.type ?? '<chain name>'}\`**: ${event.summary}`,
      table(
        ['attribute', 'indexed', 'meaning'],
        event.attributes.map(({ key, index, summary }) => [
          `\`${key}\``,
          index ? 'yes' : 'no',
          summary,
        ]),
      ),
    ]),
    '## eth_subscribe',
    table(
      ['name', 'argument', 'notification'],
      [
        [
          'newHeads',
          '{includeTransactions?: boolean}',
          'block header, with `transactions` when asked for',
        ],
        ['logs', '{address?, topics?}', 'log'],
        ['newPendingTransactions', 'none', 'transaction hash, when it enters the pool'],
      ],
    ),
  )
}

function errors(): string {
  return page(
    'Errors',
    '## JSON-RPC',
    table(
      ['code', 'message', 'when, and what to do'],
      Object.values(RPC_ERRORS).map(({ code, message, help }) => [String(code), message, help]),
    ),
    '## Job API',
    'HTTP status and `code` are the same; the body is `{code, message, error, request_id, details?}`.',
    table(
      ['code', 'error'],
      Object.entries(ERROR_SLUGS).map(([code, slug]) => [code, `\`${slug}\``]),
    ),
  )
}

function keys(keyTable: KeyTable, withEnvironment: boolean): string[] {
  return table(
    ['key', 'default', 'expects', 'meaning', ...(withEnvironment ? ['environment'] : [])],
    Object.entries(keyTable).map(([name, { type, default: value, help }]) => [
      `\`${name}\``,
      `\`${JSON.stringify(value)}\``,
      type.expects,
      help,
      ...(withEnvironment ? [`\`${environmentName(name)}\``] : []),
    ]),
  )
}

function config(): string {
  return page(
    'Settings',
    'Defaults < `config/assay.toml` < environment < flags. Each key is also a flag: `--json-rpc.address 127.0.0.1:9545`. An unknown or ill-typed key stops the start.',
    '## Node',
    keys(nodeKeys, true),
    '## Dispatcher',
    keys(dispatcherKeys, true),
    '`ASSAY_PROJECT` and `ASSAY_PROJECT_TOKEN` preset the first project.',
    '## Operator',
    'In the YAML or TOML file that `assay operator -c FILE` reads, flat or grouped in the sections `db`, `net`, `node` and `chain`. These seven are required:',
    keys(
      // The default folders depend on the user; a reference must not.
      requiredOperatorKeys,
      false,
    ),
    'These are optional:',
    keys(withoutHome(optionalOperatorKeys), false),
  )
}

/** Defaults below the user's home folder, written with ~. */
function withoutHome(keyTable: KeyTable): KeyTable {
  const home = process.env['HOME'] ?? ''
  return Object.fromEntries(
    Object.entries(keyTable).map(([name, key]) => {
      const { default: value } = key
      const shown = typeof value === 'string' && home !== '' ? value.replace(home, '~') : value
      return [name, { ...key, default: shown }]
    }),
  )
}
