/** Point evaluation (0x0a, EIP-4844): a KZG proof that a blob has a value at a point. */
import { bigintToFixedBytes, concatBytes, equalBytes } from '../../../base/bytes.ts'
import { sha256 } from '../../../base/sha256.ts'
import { verifyKzgProof } from './kzg.ts'
import { fixedGas, type Precompile } from './precompile.ts'

const INPUT = 192
const VERSION = 1
const FIELD_ELEMENTS_PER_BLOB = 4096n
const BLS_MODULUS = 52435875175126190479447740508185965837690552500527637822603658699938581184513n
const OUTPUT = concatBytes(
  bigintToFixedBytes(FIELD_ELEMENTS_PER_BLOB, 32),
  bigintToFixedBytes(BLS_MODULUS, 32),
)

export const pointEvaluation: Precompile = {
  gas: fixedGas(50_000n),
  run(input) {
    if (input.length !== INPUT) return undefined
    const commitment = input.subarray(96, 144)
    const versionedHash = sha256(commitment)
    versionedHash[0] = VERSION
    if (!equalBytes(versionedHash, input.subarray(0, 32))) return undefined
    const isValid = verifyKzgProof(
      commitment,
      input.subarray(32, 64),
      input.subarray(64, 96),
      input.subarray(144, INPUT),
    )
    return isValid ? OUTPUT : undefined
  },
}
