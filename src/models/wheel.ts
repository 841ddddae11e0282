/** Finds a wheel on the Python package index, by its simple API (PEP 503, PEP 691). */
import { z } from 'zod'
import { UserError } from '../base/errors.ts'
import { packageIndex } from './pip.ts'
import type { WheelSource } from './source.ts'
import { shownUrl, type Web } from './web.ts'

const ACCEPT = 'application/vnd.pypi.simple.v1+json, text/html;q=0.1'
const MAX_FILES = 100_000

const listing = z.object({
  files: z.array(z.object({ filename: z.string(), url: z.string() })).max(MAX_FILES),
})

function unescape(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#x27;', "'")
}

/** Address of a file in a listing as JSON or HTML; undefined if it is not there. */
function addressIn(text: string, type: string, file: string): string | undefined {
  if (type.includes('json'))
    return listing.parse(JSON.parse(text)).files.find(({ filename }) => filename === file)?.url
  for (const [, href = '', name = ''] of text.matchAll(
    /<a\s[^>]*?href\s*=\s*["']([^"']*)["'][^>]*>\s*([^<]*?)\s*<\/a>/gi,
  ))
    if (unescape(name) === file) return unescape(href)
  return undefined
}

export type Located = {
  readonly url: URL
  /** For this address' origin alone. */
  readonly authorization: string | undefined
}

/** Where the index has the wheel. Rejects with UserError when it has none. */
export async function locateWheel(
  web: Web,
  { project, file }: WheelSource,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Located> {
  const { url, authorization } = packageIndex(environment)
  const page = new URL(`${project}/`, url)
  const headers = { accept: ACCEPT }
  const { text, type, url: base } = await web.page(page, { headers, authorization, signal })
  let found: string | undefined
  try {
    found = addressIn(text, type, file)
  } catch {
    throw new UserError(`${shownUrl(page)} is not a page of a Python package index`)
  }
  if (found === undefined || !URL.canParse(found, base.href))
    throw new UserError(`${shownUrl(page)} does not list ${file}`)
  const at = new URL(found, base)
  at.hash = ''
  if (!/^https?:$/.test(at.protocol) || at.username !== '' || at.password !== '')
    throw new UserError(`${shownUrl(page)} lists ${file} at an address that is not accepted`)
  return { url: at, authorization: at.origin === url.origin ? authorization : undefined }
}
