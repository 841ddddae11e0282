/** The explorer's files, as the build left them: named by a manifest, compressed beforehand. */
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

/** Encodings of a file, the smallest first. */
const ENCODINGS = ['br', 'gzip'] as const

const asset = z.object({
  /** Path of the URL, which is also that below the folder. */
  path: z.string().regex(/^\/[A-Za-z0-9._/-]+$/),
  type: z.string(),
  /** Length of the content in bytes. */
  size: z.int().min(0),
  /** SHA-256 of the content, in hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Whether the name changes with the content. */
  immutable: z.boolean(),
  /** Compressed forms that stand beside the file. */
  encodings: z.array(z.enum(ENCODINGS)),
  /** The one form on disk, where there is no plain file. */
  only: z.literal('br').optional(),
})

const manifest = z.object({ assets: z.array(asset) })

export type Asset = z.infer<typeof asset>
export type Encoding = (typeof ENCODINGS)[number]

/** The page itself, which answers for every path that the page draws. */
export const PAGE = '/index.html'

export const MANIFEST = 'manifest.json'

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

export type Choice = {
  readonly file: string
  /** Of the answer. */
  readonly encoding?: Encoding
  /** Whether the file must be unpacked (Brotli) to be the answer. */
  readonly isPacked: boolean
}

export type Assets = {
  /** The file that a path of a URL names; undefined when the build made none. Nothing else can be reached. */
  find(path: string): Asset | undefined
  /** The file on disk, in a form that the client takes (Accept-Encoding); or one to be unpacked for it. */
  choose(asset: Asset, accepted: string): Choice
}

/** The folder that the build writes, seen from the compiled program. */
export const builtFolder: string = path.resolve(import.meta.dirname, '..', '..', 'dist', 'web')

/** Reads the manifest of a folder; undefined when nothing was built there. */
export function openAssets(folder: string): Assets | undefined {
  const file = path.join(folder, MANIFEST)
  if (!fs.existsSync(file)) return undefined
  const { assets } = manifest.parse(JSON.parse(fs.readFileSync(file, 'utf8')))
  const byPath = new Map(assets.map((each) => [each.path, each]))
  return {
    find: (name) => byPath.get(name),
    choose(chosen, accepted) {
      const plain = path.join(folder, chosen.path)
      const encoding = ENCODINGS.find(
        (each) => chosen.encodings.includes(each) && takes(accepted, each),
      )
      if (encoding !== undefined)
        return { file: plain + SUFFIXES[encoding], encoding, isPacked: false }
      return chosen.only === undefined
        ? { file: plain, isPacked: false }
        : { file: plain + SUFFIXES[chosen.only], isPacked: true }
    },
  }
}

/** Whether an Accept-Encoding header names an encoding, other than to refuse it (RFC 9110, 12.5.3). */
function takes(accepted: string, encoding: Encoding): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...weights] = part.split(';').map((each) => each.trim().toLowerCase())
    return name === encoding && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight))
  })
}
