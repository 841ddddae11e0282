/** The seed of the sampler of an execution, which neither operator nor submitter chooses (D35). */
import type { Statement } from './statement.ts'

/** A number of 32 bits: the first four bytes of the dispatcher's seed. Throws SyntaxError if that is not hexadecimal. */
export function samplerSeed({ seed }: Pick<Statement, 'seed'>): bigint {
  return BigInt(seed.slice(0, 10))
}
