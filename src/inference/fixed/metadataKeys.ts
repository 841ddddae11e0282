/** Values of a model's metadata whose keys begin with its architecture, checked. */
import type { MetadataValue, ModelHead } from './modelFile.ts'

/** Each takes the key without the architecture, and a default for files that have no such key. */
export type Keys = {
  get(name: string): MetadataValue | undefined
  /** An integer from 1 to `most`. */
  count(name: string, most: number, otherwise?: number): number
  fraction(name: string, least: number, most: number, otherwise?: number): number
}

/** Reads with errors made by `fail`, which names the key and what it may be. */
export function createKeys(
  metadata: ModelHead['metadata'],
  architecture: string,
  fail: (reason: string) => Error,
): Keys {
  const get = (name: string): MetadataValue | undefined => metadata.get(`${architecture}.${name}`)
  return {
    get,
    count(name, most, otherwise) {
      const value = get(name) ?? otherwise
      if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most)
        return value
      throw fail(`${architecture}.${name} is not an integer from 1 to ${most}`)
    },
    fraction(name, least, most, otherwise) {
      const value = get(name) ?? otherwise
      if (typeof value === 'number' && value >= least && value <= most) return value
      throw fail(`${architecture}.${name} is not between ${least} and ${most}`)
    },
  }
}
