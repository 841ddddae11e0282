/** The precompiled contracts by address. Identity (0x04) and BLAKE2F (0x09) are in the core (core/precompiles.as.ts). */
import { blsPairing, g1Add, g1Multiply, g2Add, g2Multiply, mapToG1, mapToG2 } from './bls12381.ts'
import { bn254Add, bn254Multiply, bn254Pairing } from './bn254.ts'
import { ripemd160Precompile, sha256Precompile } from './hashes.ts'
import { modexp } from './modexp.ts'
import { pointEvaluation } from './pointEvaluation.ts'
import type { Precompile } from './precompile.ts'
import { ecrecover, p256Verify } from './signatures.ts'

/** All of Osaka's. The core decides which of them a fork has: it never calls any other. */
export const PRECOMPILES: ReadonlyMap<number, Precompile> = new Map([
  [0x01, ecrecover],
  [0x02, sha256Precompile],
  [0x03, ripemd160Precompile],
  [0x05, modexp],
  [0x06, bn254Add],
  [0x07, bn254Multiply],
  [0x08, bn254Pairing],
  [0x0a, pointEvaluation],
  [0x0b, g1Add],
  [0x0c, g1Multiply],
  [0x0d, g2Add],
  [0x0e, g2Multiply],
  [0x0f, blsPairing],
  [0x10, mapToG1],
  [0x11, mapToG2],
  [0x100, p256Verify],
])
