/** The explorer's files, as built: listed in a manifest, and precompressed. */
import fs from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

/** Encodings of a file, smallest first. */
const ENCODINGS = ['br', 'gzip'] as const

const asset = z.object({
  /** Path of the URL, which is also the path below the folder. */
  path: z.string().regex(/^\/[A-Za-z0-9._/-]+$/),
  type: z.string(),
  /** Length of the content in bytes. */
  size: z.int().min(0),
  /** SHA-256 of the content, in hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** Whether the name changes with the content. */
  immutable: z.boolean(),
  /** Compressed versions next to the file. */
  encodings: z.array(z.enum(ENCODINGS)),
  /** The only version on disk, if there is no plain file. */
  only: z.literal('br').optional(),
})

const manifest = z.object({ assets: z.array(asset) })

export type Asset = z.infer<typeof asset>
export type Encoding = (typeof ENCODINGS)[number]

/** The page itself, which is served for every path that it renders. */
export const PAGE = '/index.html'

export const MANIFEST = 'manifest.json'

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

export type Choice = {
  readonly file: string
  /** Of the response. */
  readonly encoding?: Encoding
  /** Whether the file must be decompressed (Brotli) for the response. */
  readonly isPacked: boolean
}

export type Assets = {
  /** The file at a path of a URL; undefined if the build has none. Nothing else can be reached. */
  find(path: string): Asset | undefined
  /** The file on disk, in an encoding that the client accepts (Accept-Encoding), or one to decompress for it. */
  choose(asset: Asset, accepted: string): Choice
}

/** The build's output folder, relative to the compiled program. */
export const builtFolder: string = path.resolve(import.meta.dirname, '..', '..', 'dist', 'web')

/** Reads the manifest of a folder; undefined if it contains no build. */
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

/** Whether an Accept-Encoding header accepts an encoding (RFC 9110, 12.5.3). */
function takes(accepted: string, encoding: Encoding): boolean {
  return accepted.split(',').some((part) => {
    const [name = '', ...weights] = part.split(';').map((each) => each.trim().toLowerCase())
    return name === encoding && !weights.some((weight) => /^q=0(?:\.0*)?$/.test(weight))
  })
}
