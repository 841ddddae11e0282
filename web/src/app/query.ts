/** Query strings of the explorer's paths: which tab, page and filter of a page is shown. */

/** Names and values; a name that is not there has no value. */
export type Query = Readonly<Record<string, string | undefined>>

/** Bounds on what a link can bring. */
const MAX_PARAMETERS = 20
const MAX_LENGTH = 600

/** Reads a query string (URL Standard, application/x-www-form-urlencoded); of equal names the first one counts. */
export function readQuery(search: string): Query {
  const found = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    if (found.size >= MAX_PARAMETERS) break
    if (!found.has(name) && value.length <= MAX_LENGTH) found.set(name, value)
  }
  return Object.fromEntries(found)
}

/** A path with a query string; parameters that are empty or undefined are left out. */
export function targetOf(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, value)
  const text = parameters.toString()
  return text === '' ? path : `${path}?${text}`
}

/** A name of a tab as a value of a parameter: lower-case words with hyphens. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
