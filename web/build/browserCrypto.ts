/** Replaces the hashes of src/base, which are Node's and WebAssembly, by ones that run in a page without either. */
import path from 'node:path'
import type { Plugin } from 'vite'

const base = path.resolve(import.meta.dirname, '..', '..', 'src', 'base')
const replacement = path.resolve(import.meta.dirname, '..', 'src', 'proof', 'hashes.ts')
const REPLACED = new Set(['keccak.ts', 'sha256.ts'].map((file) => path.join(base, file)))

/** The plugin. The replacement exports the same functions; a test holds both equal. */
export function browserCrypto(): Plugin {
  return {
    name: 'browser-crypto',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined || !source.startsWith('.')) return undefined
      return REPLACED.has(path.resolve(path.dirname(importer), source)) ? replacement : undefined
    },
  }
}
