/** What the dispatcher said about jobs when they were submitted, until the page is left. */

const MOST = 50
const said = new Map<string, readonly string[]>()

/** Keeps the warnings about a job. */
export function rememberWarnings(id: string, warnings: readonly string[]): void {
  if (warnings.length === 0) return
  said.set(id, warnings)
  const [oldest] = said.keys()
  if (said.size > MOST && oldest !== undefined) said.delete(oldest)
}

/** The warnings about a job that was submitted in this page. */
export function warningsAbout(id: string): readonly string[] {
  return said.get(id) ?? []
}
