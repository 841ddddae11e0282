/** What `assay model get` is asked for: a name of the catalogue, a file on Hugging Face, an address or a local file. */
import path from 'node:path'
import { UserError } from '../base/errors.ts'
import { CATALOGUE, findInCatalogue } from './catalogue.ts'
import type { Wanted } from './source.ts'

/** A model to fetch, or the path of a file to copy. */
export type Reference =
  | { readonly kind: 'fetch'; readonly wanted: Wanted }
  | { readonly kind: 'file'; readonly path: string }

const HUB = /^hf:([\w.-]+\/[\w.-]+)(?:@([\w.-]+))?\/([\w./-]+\.gguf)$/
const SHA256 = /^#sha256=([0-9a-f]{64})$/
const MAX_REFERENCE = 2048

const FORMS =
  'Pass a name of assay model list --all, hf:ORG/REPO@REVISION/FILE.gguf, https://…/FILE.gguf#sha256=…, or a file.'

function hashOf(reference: string, fragment: string): string {
  const [, sha256] = SHA256.exec(fragment.toLowerCase()) ?? []
  if (sha256 === undefined)
    throw new UserError(
      `"${reference}" does not end with #sha256= and 64 hex digits`,
      'Without the hash, whoever answers at the address could choose the model.',
    )
  return sha256
}

function hubReference(reference: string): Wanted {
  const at = reference.indexOf('#')
  const [, repository = '', revision = 'main', file = ''] =
    HUB.exec(at < 0 ? reference : reference.slice(0, at)) ?? []
  if (repository === '' || file.split('/').some((part) => part === '' || /^\.+$/.test(part)))
    throw new UserError(
      `"${reference}" does not name a file on Hugging Face`,
      'Write hf:ORG/REPO@REVISION/FILE.gguf, for example with main as the revision.',
    )
  const sha256 = at < 0 ? undefined : hashOf(reference, reference.slice(at))
  const source = { kind: 'hub', repository, revision, path: file } as const
  return { file: path.posix.basename(file), sha256, bytes: undefined, source }
}

function webReference(reference: string): Wanted {
  if (!URL.canParse(reference)) throw new UserError(`"${reference}" is not a valid address`)
  const url = new URL(reference)
  // Not shown: it may be a password.
  if (url.username !== '' || url.password !== '')
    throw new UserError('an address with a user name or password is not accepted')
  const sha256 = hashOf(`${url.origin}${url.pathname}`, url.hash)
  url.hash = ''
  const file = path.posix.basename(url.pathname)
  return { file, sha256, bytes: undefined, source: { kind: 'web', url } }
}

/** Reads a reference. Throws UserError with what is wrong with it. */
export function readReference(reference: string): Reference {
  if (reference.length > MAX_REFERENCE)
    throw new UserError(`a reference has at most ${MAX_REFERENCE} characters`, FORMS)
  const entry = findInCatalogue(reference)
  if (entry !== undefined) {
    const { file, sha256, bytes, source } = entry
    return { kind: 'fetch', wanted: { file, sha256, bytes, source } }
  }
  if (reference.startsWith('hf:')) return { kind: 'fetch', wanted: hubReference(reference) }
  if (/^https?:\/\//i.test(reference)) return { kind: 'fetch', wanted: webReference(reference) }
  if (reference.endsWith('.gguf') || reference.includes(path.sep))
    return { kind: 'file', path: reference }
  throw new UserError(
    `there is no model "${reference}" in the catalogue`,
    `It has ${CATALOGUE.map(({ name }) => name).join(', ')}. ${FORMS}`,
  )
}
