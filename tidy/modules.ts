/** The modules of a checkout and what they import, by the files that the specifiers really mean. */
import path from 'node:path'
import { isGenerated, type Checkout } from './checkout.ts'
import { parseFile, type Import, type Syntax } from './syntax.ts'

export type ResolvedImport = Import & {
  /** The file that is meant, from the root; undefined for packages, built-in modules and computed specifiers. */
  readonly target: string | undefined
}

export type Module = Omit<Syntax, 'imports'> & {
  readonly file: string
  readonly text: string
  readonly imports: readonly ResolvedImport[]
}

/** Folders that an installation or a build makes: a checkout may lack them. */
const MADE = /^(?:dist|node_modules|runtime)(?:\/|$)/

const CODE = /^(?!.*\.d\.ts$).*\.(?:ts|tsx|mjs)$/

/** The file behind a relative specifier, whether or not it is there. Built files stand for their sources. */
function resolve(checkout: Checkout, file: string, specifier: string): string {
  const plain = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier))
  const source = plain.replace(/^dist\/(.*)\.js$/, 'src/$1.ts')
  const candidates = [plain, source, `${plain}.ts`, plain.replace(/\.js$/, '.ts')]
  return candidates.find((candidate) => checkout.has(candidate)) ?? source
}

function isRelative(specifier: string): boolean {
  return specifier === '.' || specifier === '..' || /^\.{1,2}\//.test(specifier)
}

/** One module, its imports resolved in a checkout. */
export function moduleOf(checkout: Checkout, file: string): Module {
  const text = checkout.read(file)
  const { imports, ...syntax } = parseFile(file, text)
  const resolved = imports.map((each) => ({
    ...each,
    target:
      each.specifier !== undefined && isRelative(each.specifier)
        ? resolve(checkout, file, each.specifier)
        : undefined,
  }))
  return { ...syntax, file, text, imports: resolved }
}

/** All modules by their files. */
export function modulesOf(checkout: Checkout): ReadonlyMap<string, Module> {
  const files = checkout.files.filter((file) => CODE.test(file))
  return new Map(files.map((file) => [file, moduleOf(checkout, file)]))
}

/** Whether an import leads to a file of this checkout, or to one that a build makes. */
export function isPresent(checkout: Checkout, target: string): boolean {
  return checkout.has(target) || isGenerated(target) || MADE.test(target)
}

/** The package of a bare specifier: `@scope/name` or `name`. */
export function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}
