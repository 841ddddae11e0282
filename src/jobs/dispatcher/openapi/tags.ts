/** The groups of routes, by the beginning of their paths. The first that fits is the route's. */
const GROUPS: readonly (readonly [prefix: string, name: string, description: string])[] = [
  ['/v1/', 'openai', 'The API that clients of OpenAI speak.'],
  ['/api/job/receipt/', 'receipts', 'What third parties need to verify answers.'],
  ['/api/job/trace/', 'receipts', 'What third parties need to verify answers.'],
  ['/api/job', 'jobs', 'Submit jobs, follow them, read their results.'],
  ['/api/', 'network', 'Who is connected, and what they serve.'],
  ['/', 'operation', 'Health and metrics, for those who run the dispatcher.'],
]

/** The group of a path. */
export function tagOf(url: string): string {
  return GROUPS.find(([prefix]) => url.startsWith(prefix))?.[1] ?? ''
}

/** All groups as tags of the document, each once. */
export function tagList(): readonly { readonly name: string; readonly description: string }[] {
  const tags = new Map(GROUPS.map(([, name, description]) => [name, { name, description }]))
  return [...tags.values()]
}
