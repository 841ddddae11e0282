/** Which executions are the same: everything that determines one, besides model file and engine (D76). */
import { paramsHash } from '../job/hashes.ts'
import { samplerSeed } from '../job/samplerSeed.ts'
import type { BundleAnswer } from './format.ts'

/** The key of the execution that an answer claims. Throws RangeError on parameters that cannot be hashed. */
export function runKey({ statement, params }: Pick<BundleAnswer, 'statement' | 'params'>): string {
  return [statement.promptHash, paramsHash(params), samplerSeed(statement, params.seed)].join(' ')
}
