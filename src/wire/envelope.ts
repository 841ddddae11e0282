/** The envelope of JSON-RPC 2.0: reading requests and writing answers. Where the standard is silent, go-ethereum decides (D12). */
import type { RpcError } from './errors.ts'
import { isRawJson, joinJson, type JsonText } from './rawJson.ts'

/** One request object. `id` is the JSON text to echo; undefined makes it a notification. */
export type Request = {
  readonly id: string | undefined
  readonly method: string
  readonly params: unknown
}

/** A value that is not a request, with the JSON text of the id for its response. */
export type InvalidRequest = { readonly id: string; readonly method: undefined }

const MAX_ID_BYTES = 256

/** Whether an id is a number that JavaScript may have read as another one: only its text can be echoed. */
export function needsText(request: unknown): boolean {
  return isMessage(request) && typeof request.id === 'number' && !Number.isSafeInteger(request.id)
}

/**
 * JSON text of an id, or undefined when it is not a valid one. Numbers that are no safe integers are echoed by `text`, as they
 * were written.
 */
function readId(id: unknown, text: string | undefined): string | undefined {
  if (typeof id === 'number') {
    if (Number.isSafeInteger(id)) return String(id)
    return text !== undefined && text.length <= MAX_ID_BYTES ? text : undefined
  }
  if (typeof id === 'string')
    return Buffer.byteLength(id) <= MAX_ID_BYTES ? JSON.stringify(id) : undefined
  return id === null ? 'null' : undefined
}

type Message = { readonly [key in 'jsonrpc' | 'id' | 'method' | 'params']?: unknown }

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Reads one element of a batch, or a whole body that is not a batch. `idText` is how its id was written, where that is a number
 * (numberIds.ts).
 */
export function readRequest(value: unknown, idText?: string): Request | InvalidRequest {
  if (!isMessage(value)) return { id: 'null', method: undefined }
  const { jsonrpc, method, params } = value
  const hasId = Object.hasOwn(value, 'id')
  const id = hasId ? readId(value.id, idText) : undefined
  const isCall = jsonrpc === '2.0' && typeof method === 'string' && method !== ''
  if (!isCall || (hasId && id === undefined)) return { id: id ?? 'null', method: undefined }
  return { id, method, params }
}

/**
 * Maximum length of texts that are scanned for characters to escape: most results are quantities, addresses and hashes.
 */
const SHORT_TEXT = 66

/** The JSON text of a string. */
function stringText(text: string): string {
  if (text.length > SHORT_TEXT) return JSON.stringify(text)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Letters, digits, spaces and most punctuation need no escaping.
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return JSON.stringify(text)
  }
  return `"${text}"`
}

/**
 * The response to a request that succeeded; raw JSON is inserted unchanged. Throws TypeError on a result without a JSON
 * form (a bigint, a cycle).
 */
export function successText(id: string, result: unknown): JsonText {
  const head = `{"jsonrpc":"2.0","id":${id},"result":`
  if (typeof result === 'string') return `${head}${stringText(result)}}`
  if (isRawJson(result)) return joinJson([head, result, '}'])
  const text = JSON.stringify(result) as string | undefined
  return `${head}${text ?? 'null'}}`
}

/** The response to a batch: the responses to its requests. */
export function joinList(answers: readonly JsonText[]): JsonText {
  const parts: JsonText[] = []
  for (const answer of answers) parts.push(parts.length === 0 ? '[' : ',', answer)
  parts.push(']')
  return joinJson(parts)
}

/** The response to a request that failed. */
export function failureText(id: string, { code, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`
}
