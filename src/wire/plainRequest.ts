/**
 * The head of an everyday JSON-RPC request: a POST with a length, and no header that would change how it is answered.
 * Whatever is not exactly that is not read here at all, so that only node:http decides about it.
 */

export type PlainRequest = {
  readonly path: string
  readonly host: string
  /** Where the body begins, and how many bytes it has. */
  readonly bodyAt: number
  readonly bodyLength: number
  readonly acceptsGzip: boolean
  readonly authorization: string | undefined
}

const REQUEST_LINE = /^POST (\/[\w/.?=&%~-]*) HTTP\/1\.1$/
const HEAD_END = '\r\n\r\n'
/** Each connection remembers a head; longer ones are node:http's to take or to refuse. */
const LONGEST_HEAD = 4096
const PRINTABLE = /^[\t\x20-\x7e]*$/
const LENGTH = /^\d{1,9}$/
const JSON_TYPE = /^application\/json(?: *; *charset=utf-8)?$/i

/** Headers that say nothing about how to answer. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'pragma',
  'sec-fetch-mode',
  'user-agent',
])

/** A value of a header that must come exactly once. */
const READ: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
])

/** The headers of READ by name; undefined when there are others, or one of them twice. */
function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    if (!PRINTABLE.test(line)) return undefined
    if (WITHOUT_EFFECT.has(name)) continue
    if (!READ.has(name) || found.has(name)) return undefined
    found.set(name, line.slice(colon + 1).trim())
  }
  return found
}

/** The request whose head stands at the beginning of the bytes, in latin1 up to the empty line. */
function parse(head: string): PlainRequest | undefined {
  const [first = '', ...lines] = head.split('\r\n')
  const path = REQUEST_LINE.exec(first)?.[1]
  const headers = path === undefined ? undefined : readHeaders(lines)
  if (path === undefined || headers === undefined) return undefined
  const host = headers.get('host')
  const length = headers.get('content-length') ?? ''
  if (host === undefined || !LENGTH.test(length)) return undefined
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) return undefined
  if ((headers.get('connection') ?? 'keep-alive').toLowerCase() !== 'keep-alive') return undefined
  return {
    path,
    host,
    bodyAt: head.length + HEAD_END.length,
    bodyLength: Number(length),
    acceptsGzip: /\bgzip\b/.test(headers.get('accept-encoding') ?? ''),
    authorization: headers.get('authorization'),
  }
}

/** Reads the heads of one connection, most of which are equal. Gives undefined for what is not plain or not complete. */
export function createPlainReader(): (bytes: Buffer) => PlainRequest | undefined {
  /** With the empty line behind it, so that bytes that begin with it have the same head, and no longer one. */
  let lastHead: Buffer = Buffer.alloc(0)
  let last: PlainRequest | undefined
  return (bytes) => {
    const { length } = lastHead
    const isSame = length > 0 && bytes.length >= length && lastHead.compare(bytes, 0, length) === 0
    if (isSame) return last
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > LONGEST_HEAD) return undefined
    // A copy: the bytes belong to a longer piece of memory.
    lastHead = Buffer.from(bytes.subarray(0, end + HEAD_END.length))
    last = parse(lastHead.toString('latin1', 0, end))
    return last
  }
}
