/**
 * Configuration values that are URLs. They may contain a password: errors say what was expected, never what was given.
 */
import { databaseHosts } from '../base/databaseUrl.ts'
import { ValueError, type ValueType } from './key.ts'

/** A value that may be secret; `read` returns undefined for an ill-formed one. */
export function silent<T>(expects: string, read: (raw: string) => T | undefined): ValueType<T> {
  return {
    expects,
    parse(raw) {
      const value = typeof raw === 'string' ? read(raw.trim()) : undefined
      if (value === undefined) throw new ValueError(`expected ${expects}`)
      return value
    },
  }
}

/** A URL of one of the protocols ("http:"), with a host; undefined for any other string. */
export function urlOf(raw: string, protocols: readonly string[]): URL | undefined {
  if (!URL.canParse(raw)) return undefined
  const url = new URL(raw)
  return protocols.includes(url.protocol) && url.hostname !== '' ? url : undefined
}

/** The URL of a web server, or an empty string. */
export const optionalWebUrl: ValueType<string> = {
  placeholder: 'url',
  expects: 'a URL such as "http://127.0.0.1:8549", or empty',
  parse(raw) {
    if (raw === '' || (typeof raw === 'string' && urlOf(raw, ['http:', 'https:']))) return raw
    throw new ValueError(`expected ${optionalWebUrl.expects}`)
  },
}

/** PostgreSQL's URLs may omit the host and give a socket folder as a parameter. */
function socketUrl(raw: string): URL | undefined {
  const url = /^postgres(?:ql)?:\/\//.test(raw) && URL.canParse(raw) ? new URL(raw) : undefined
  return url?.searchParams.has('host') === true ? url : undefined
}

/** The URL of a PostgreSQL database, with its name; several hosts are separated by commas, as for libpq (D103). */
export const databaseUrl = silent(
  'a PostgreSQL URL, "postgres://user:password@host:port/name"',
  (raw) => {
    const urls = databaseHosts(raw)?.urls ?? []
    const isSound = urls.every((each) => {
      const url = urlOf(each, ['postgres:', 'postgresql:']) ?? socketUrl(each)
      return url !== undefined && url.pathname.length > 1
    })
    return urls.length > 0 && isSound ? raw : undefined
  },
)

/** The URL of an HTTP server. */
export const httpUrl = silent('a URL, "http://host:port" or "https://…"', (raw) =>
  urlOf(raw, ['http:', 'https:']) === undefined ? undefined : raw,
)

/** The URL of an HTTP server, or an empty string. */
export const optionalHttpUrl: ValueType<string> = {
  placeholder: 'url',
  expects: `${httpUrl.expects}, or empty`,
  parse: (raw) => (raw === '' ? '' : httpUrl.parse(raw)),
}

/** The URL of a PostgreSQL database, or an empty string. */
export const optionalDatabaseUrl: ValueType<string> = {
  placeholder: 'url',
  expects: `${databaseUrl.expects}, or empty`,
  parse: (raw) => (raw === '' ? '' : databaseUrl.parse(raw)),
}

/** The URL of a bucket with its key, or an empty string. */
export const optionalBucketUrl: ValueType<string> = silent(
  'a URL, "https://ACCESS_KEY:SECRET_KEY@host/bucket", or empty',
  (raw) => {
    if (raw === '') return raw
    const url = urlOf(raw, ['http:', 'https:'])
    return url !== undefined && url.password !== '' && url.pathname.length > 1 ? raw : undefined
  },
)
