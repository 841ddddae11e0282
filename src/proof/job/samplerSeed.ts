/** The seed of the sampler of an execution, which no operator chooses, and no submitter without saying so (D35, D79, D137). */
import { bytesToBigint, concatBytes, utf8 } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Statement } from './statement.ts'

const LABEL = 'Assay/sampler-seed/v3\0'

/**
 * A number of 64 bits: in statements of version 3 the first 8 bytes of Keccak-256(label || seed || hash of the draw's
 * block), in earlier ones the first 4 bytes of the seed alone. A seed that the submitter chose replaces it, modulo 2^64 (D137).
 * Throws SyntaxError if these are not hexadecimal.
 */
export function samplerSeed(
  { seed, drawBlockHash }: Pick<Statement, 'seed' | 'drawBlockHash'>,
  chosen?: number,
): bigint {
  if (chosen !== undefined) return BigInt.asUintN(64, BigInt(chosen))
  if (drawBlockHash === undefined) return BigInt(seed.slice(0, 10))
  const hash = keccak256(concatBytes(utf8(LABEL), fromHex(seed), fromHex(drawBlockHash)))
  return bytesToBigint(hash.subarray(0, 8))
}
