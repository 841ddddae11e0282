/** URLs of PostgreSQL databases, as libpq reads them: with one host, or with several of which one can be written to (D103). */

/** The hosts of a URL, and whether only one that takes writes will do. */
export type DatabaseHosts = {
  /** One URL per host, without `target_session_attrs`. At least one. */
  readonly urls: readonly string[]
  readonly needsWrites: boolean
}

const MAX_HOSTS = 16
const SHAPE = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s
const READ_WRITE = new Set(['read-write', 'primary'])

/** A URL before, in and after the name of its database. */
const NAME = /^([^:]*:\/\/[^/?#]*)\/([^?#]*)(.*)$/s

/** The name of the database in a URL; empty if there is none. */
export function databaseName(text: string): string {
  return decodeURIComponent(NAME.exec(text)?.[2] ?? '')
}

/** The URL of another database on the same servers. */
export function withDatabase(text: string, name: string): string {
  const [, head = text, , parameters = ''] = NAME.exec(text) ?? []
  return `${head}/${encodeURIComponent(name)}${parameters}`
}

/**
 * The hosts of "postgres://user:password@first:5432,second:5432/name?target_session_attrs=read-write". With several hosts,
 * writes are needed unless the parameter is "any". Undefined for a text that is no such URL.
 */
export function databaseHosts(text: string): DatabaseHosts | undefined {
  const [, head = '', authority = '', tail = ''] = SHAPE.exec(text) ?? []
  const hosts = authority.split(',')
  if (head === '' || hosts.length > MAX_HOSTS) return undefined
  if (hosts.length > 1 && hosts.includes('')) return undefined
  const urls: string[] = []
  let wanted = hosts.length > 1 ? 'read-write' : 'any'
  for (const host of hosts) {
    const single = `${head}${host}${tail}`
    if (!URL.canParse(single)) return undefined
    const url = new URL(single)
    wanted = url.searchParams.get('target_session_attrs') ?? wanted
    if (url.searchParams.has('target_session_attrs')) {
      url.searchParams.delete('target_session_attrs')
      urls.push(url.href)
    } else urls.push(single)
  }
  if (wanted !== 'any' && !READ_WRITE.has(wanted)) return undefined
  return { urls, needsWrites: wanted !== 'any' }
}
