/** Finds a file of a repository on Hugging Face, or on the mirror that HF_ENDPOINT names, and what the hub says of it. */
import { UserError } from '../base/errors.ts'
import type { HubSource } from './source.ts'
import { shownUrl, type Web } from './web.ts'
import type { Located } from './wheel.ts'

const PUBLIC_HUB = 'https://huggingface.co'

/** With hash and size of the file, where the hub says them. */
export type LocatedOnHub = Located & {
  readonly sha256: string | undefined
  readonly bytes: number | undefined
}

function endpoint({ HF_ENDPOINT: named }: Readonly<Record<string, string | undefined>>): URL {
  const text = named === undefined || named === '' ? PUBLIC_HUB : named
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new UserError('HF_ENDPOINT is not an address', 'Write it as https://host.')
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  return url
}

function refusal(url: URL, status: number, source: HubSource): UserError {
  if (status === 401 || status === 403)
    return new UserError(
      `${shownUrl(url)} needs permission (status ${status})`,
      `Accept its terms on the page of ${source.repository}, and set HF_TOKEN to a token of your account.`,
    )
  return status === 404
    ? new UserError(`${source.repository} has no ${source.path} at revision ${source.revision}`)
    : new UserError(`${shownUrl(url)} answers with status ${status}`)
}

/** Asks the hub for a file. The token (HF_TOKEN) goes to the hub alone. Rejects with UserError when there is none. */
export async function locateOnHub(
  web: Web,
  source: HubSource,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<LocatedOnHub> {
  const { repository, revision, path } = source
  const url = new URL(`${repository}/resolve/${revision}/${path}`, endpoint(environment))
  const { HF_TOKEN: token = '' } = environment
  const authorization = token === '' ? undefined : `Bearer ${token}`
  const until = 'x-linked-etag'
  const answer = await web.ask(url, { method: 'HEAD', authorization, until, signal })
  answer.body.destroy()
  if (answer.status >= 400) throw refusal(url, answer.status, source)
  const [, sha256] = /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(answer.header(until) ?? '') ?? []
  const size = Number(answer.header('x-linked-size') ?? Number.NaN)
  return { url, authorization, sha256, bytes: Number.isSafeInteger(size) ? size : undefined }
}
