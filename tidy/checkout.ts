/** The files of a checkout, as the tidy tests see them: paths from its root, with `/`. */
import fs from 'node:fs'
import path from 'node:path'

export type Checkout = {
  /** Sorted paths of all files that the tidy tests know of. */
  readonly files: readonly string[]
  has(file: string): boolean
  /** The text of a file. Throws when there is none. */
  read(file: string): string
}

/** Folders and files outside them that hold what we write. */
const FOLDERS = ['src', 'web', 'test', 'bench', 'scripts', 'tidy', 'docs', 'contracts', 'deploy']
/** Written by the build; nobody keeps them by hand. */
const GENERATED = 'src/generated'

const ROOT = path.resolve(import.meta.dirname, '..')

function filesUnder(root: string): string[] {
  const out: string[] = fs
    .readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
  for (const folder of FOLDERS) {
    if (!fs.existsSync(path.join(root, folder))) continue
    for (const entry of fs.readdirSync(path.join(root, folder), {
      recursive: true,
      withFileTypes: true,
    })) {
      // A link is no file: an import through one is an import of a file that is not there.
      if (!entry.isFile()) continue
      const file = path.relative(root, path.join(entry.parentPath, entry.name))
      out.push(file.split(path.sep).join('/'))
    }
  }
  return out
    .filter((file) => !file.startsWith(`${GENERATED}/`) && !file.includes('node_modules/'))
    .sort()
}

/** The checkout that this file is part of. */
export function thisCheckout(root = ROOT): Checkout {
  const files = filesUnder(root)
  const known = new Set(files)
  const texts = new Map<string, string>()
  return {
    files,
    has: (file) => known.has(file),
    read(file) {
      const text = texts.get(file) ?? fs.readFileSync(path.join(root, file), 'utf8')
      texts.set(file, text)
      return text
    },
  }
}

/** A checkout in which some files are other, or new: how the tests plant a violation. */
export function withFiles(checkout: Checkout, texts: Readonly<Record<string, string>>): Checkout {
  const files = [...new Set([...checkout.files, ...Object.keys(texts)])].sort()
  const known = new Set(files)
  return {
    files,
    has: (file) => known.has(file),
    read: (file) => texts[file] ?? checkout.read(file),
  }
}

/** Whether a path is one of generated code, which only a build makes. */
export function isGenerated(file: string): boolean {
  return file.startsWith(`${GENERATED}/`)
}

/** Whether a file is a test, or stands in a folder that only tests use. */
export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file) || file.startsWith('test/')
}
