/** The JSON-RPC envelope of the consensus RPC: requests in, replies as JSON text. */
import { isLarger } from '../../base/jsonSize.ts'
import { type Argument, ArgumentError } from '../argument.ts'
import { jsonTypeName, parseGoJson, shownJson, shownValue } from '../goJson.ts'
import type { CometMethod } from '../method.ts'
import { COMET_ERRORS, type CometFault } from './errors.ts'

/** The id of replies to URI requests, which have none of their own. */
export const URI_REQUEST_ID = '-1'

/** A request object. `id` is JSON text, because it is echoed unchanged; undefined marks a notification. */
export type CometRequest = {
  readonly id: string | undefined
  readonly method: string
  readonly params: unknown
}

/** How Go prints the struct that a request is unmarshalled into. */
const REQUEST_TYPE =
  'struct { JSONRPC string "json:\\"jsonrpc\\""; ID interface {} "json:\\"id,omitempty\\""; ' +
  'Method string "json:\\"method\\""; Params json.RawMessage "json:\\"params\\"" }'

const GO_TYPES: Readonly<Record<string, string>> = {
  bool: 'bool',
  object: 'map[string]interface {}',
  array: '[]interface {}',
}

/** The JSON is not a request. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
}

function idText(id: unknown): string | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id === 'string') return JSON.stringify(id)
  if (typeof id !== 'number') {
    const type = GO_TYPES[jsonTypeName(id)]
    throw new RequestError(`json-rpc ID (${shownValue(id)}) is of unknown type (${type})`)
  }
  // CometBFT truncates fractions. It cannot echo integers beyond 64 bits.
  const whole = Math.trunc(id)
  if (Math.abs(whole) >= 2 ** 63) throw new RequestError('json-rpc ID is out of range')
  return BigInt(whole).toString()
}

function notARequest(value: unknown): RequestError {
  return new RequestError(
    `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${REQUEST_TYPE}`,
  )
}

/**
 * Parses a request object; null is one without members. Member names are case-insensitive, as in Go. Throws
 * RequestError.
 */
export function readRequest(value: unknown): CometRequest {
  if (value === null) return { id: undefined, method: '', params: undefined }
  if (typeof value !== 'object' || Array.isArray(value)) throw notARequest(value)
  const members = new Map(
    Object.entries(value).map(([name, member]): [string, unknown] => [name.toLowerCase(), member]),
  )
  const method = members.get('method') ?? ''
  if (typeof method !== 'string') {
    throw new RequestError(
      `json: cannot unmarshal ${jsonTypeName(method)} into Go struct field .method of type string`,
    )
  }
  return { id: idText(members.get('id')), method, params: members.get('params') }
}

/** The requests of a body: an object, an array of them, or null, which Go parses as an empty array. Throws. */
export function readRequests(body: string): readonly CometRequest[] {
  const value = parseGoJson(body)
  if (value === null) return []
  if (!Array.isArray(value)) return [readRequest(value)]
  try {
    return value.map(readRequest)
  } catch {
    // Go tries the array first, and reports the error of its second attempt.
    throw notARequest(value)
  }
}

/** Whether `params` is missing where CometBFT requires it: `null` is accepted, absence is not. */
export function lacksParams({ args }: CometMethod<never>, params: unknown): boolean {
  return params === undefined && Object.keys(args).length > 0
}

/** CometBFT's message when params are missing. */
export const TOO_FEW_ARGUMENTS = 'reflect: Call with too few input arguments'

const MAX_SHOWN_PARAMS = 16
const MAX_SHOWN_BYTES = 200

/** JSON of a value as Go prints raw bytes, truncated where it is long. */
function byteValues(value: unknown): string {
  return `[${[...Buffer.from(shownJson(value)).subarray(0, MAX_SHOWN_BYTES)].join(' ')}]`
}

function requireSize(name: string, value: unknown, { limit }: Argument<unknown>): void {
  if (isLarger(value, limit))
    throw new ArgumentError(
      `${name} is too long: at most ${limit.values} values with ${limit.characters} characters`,
    )
}

/** Parses parameters by name or by position. Throws ArgumentError. */
export function readParams(
  { args }: CometMethod<never>,
  params: unknown,
): Readonly<Record<string, unknown>> {
  const names = Object.keys(args)
  if (Array.isArray(params)) {
    if (params.length !== names.length) {
      const shown = params.slice(0, MAX_SHOWN_PARAMS).map(byteValues).join(' ')
      throw new ArgumentError(
        `expected ${names.length} parameters ([${names.join(' ')}]), got ${params.length} ([${shown}])`,
      )
    }
  } else if (params !== undefined && params !== null && typeof params !== 'object') {
    throw new ArgumentError(
      `unknown type for JSON params: json: cannot unmarshal ${jsonTypeName(params)} into Go value of type []json.RawMessage. Expected map or array`,
    )
  }
  const given = new Map<string, unknown>(
    Array.isArray(params)
      ? names.map((name, position) => [name, params[position]])
      : Object.entries(params ?? {}),
  )
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => {
      const value = given.get(name) ?? undefined
      if (value === undefined) return [name, argument.absent]
      requireSize(name, value, argument)
      return [name, argument.fromJson(value)]
    }),
  )
}

/** Parses arguments of a URI; `get` returns the empty string for a missing name. Throws ArgumentError. */
export function readUriArguments(
  { args }: CometMethod<never>,
  get: (name: string) => string,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(args).map(([name, argument]) => {
      const value = get(name)
      if (value === '') return [name, argument.absent]
      requireSize(name, value, argument)
      return [name, argument.fromUri(value)]
    }),
  )
}

/** A reply whose result is already JSON text. */
export function resultReply(id: string, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`
}

/** A reply with an error; without an id when the request's could not be read. */
export function errorReply(id: string | undefined, { kind, data }: CometFault): string {
  const { code, message } = COMET_ERRORS[kind]
  const error = JSON.stringify(data === '' ? { code, message } : { code, message, data })
  return `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${id},`}"error":${error}}`
}
