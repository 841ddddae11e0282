/** SHA-256 (0x02) and RIPEMD-160 (0x03). */
import { ripemd160 } from '@noble/hashes/legacy.js'
import { padLeft } from '../../../base/bytes.ts'
import { sha256 } from '../../../base/sha256.ts'
import { wordGas, type Precompile } from './precompile.ts'

export const sha256Precompile: Precompile = { gas: wordGas(60n, 12n), run: sha256 }

export const ripemd160Precompile: Precompile = {
  gas: wordGas(600n, 120n),
  run: (input) => padLeft(ripemd160(input), 32),
}
