/**
 * The head of an everyday JSON-RPC request: a POST with a length, and without headers that would change the response.
 * Anything else is not parsed here at all, so that only node:http decides about it.
 */

export type PlainRequest = {
  readonly path: string
  readonly host: string
  /** Offset of the body, and its length in bytes. */
  readonly bodyAt: number
  readonly bodyLength: number
  readonly acceptsGzip: boolean
  readonly authorization: string | undefined
}

const REQUEST_LINE = /^POST (\/[\w/.?=&%~-]*) HTTP\/1\.1$/
const HEAD_END = '\r\n\r\n'
/** Maximum length of a head, because each connection remembers one; node:http accepts or refuses longer ones. */
const LONGEST_HEAD = 4096
const PRINTABLE = /^[\t\x20-\x7e]*$/
const LENGTH = /^\d{1,9}$/
const JSON_TYPE = /^application\/json(?: *; *charset=utf-8)?$/i

/** Headers that do not affect the response. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'cache-control',
  'pragma',
  'sec-fetch-mode',
  'user-agent',
])

/** Headers whose value is read; each must occur exactly once. */
const READ: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
])

/** The headers of READ by name; undefined when there are others, or duplicates. */
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

/** The request whose head starts the bytes, in latin1 up to the empty line. */
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

/**
 * Parses the heads of one connection, most of which are equal. Returns undefined for what is not plain or not complete.
 */
export function createPlainReader(): (bytes: Buffer) => PlainRequest | undefined {
  /** Includes the empty line, so that bytes that begin with it have exactly this head, not a longer one. */
  let lastHead: Buffer = Buffer.alloc(0)
  let last: PlainRequest | undefined
  return (bytes) => {
    const { length } = lastHead
    const isSame = length > 0 && bytes.length >= length && lastHead.compare(bytes, 0, length) === 0
    if (isSame) return last
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > LONGEST_HEAD) return undefined
    // A copy: the bytes are a view of a larger buffer.
    lastHead = Buffer.from(bytes.subarray(0, end + HEAD_END.length))
    last = parse(lastHead.toString('latin1', 0, end))
    return last
  }
}
