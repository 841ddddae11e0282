/** Where a thread or a process of the program finds the module that it runs. */

/** Modules of one program are all built, or all sources. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

/**
 * The file of a module, for `new Worker` and `fork`. The module is named without extension, as
 * `new URL('./worker', import.meta.url)`. Built code starts what was built, and sources start sources, so that a test never
 * runs an older build of what it tests. Node 20 cannot run TypeScript: tests bring a loader (test/support/typescript).
 */
export function moduleFile(module: URL): URL {
  return new URL(`${module.href}${EXTENSION}`)
}
