/** Signatures: ECRECOVER (0x01) over secp256k1, P256VERIFY (0x100, EIP-7951) over secp256r1. */
import { EMPTY_BYTES, bytesToBigint, padLeft } from '../../../base/bytes.ts'
import { recoverAddress } from '../../../base/secp256k1.ts'
import { isP256Signature } from './p256.ts'
import { booleanWord, fixedGas, paddedSlice, type Precompile } from './precompile.ts'

const P256_INPUT = 160

/** A signature that recovers nothing is not a failure: the output is empty. */
export const ecrecover: Precompile = {
  gas: fixedGas(3000n),
  run(input) {
    const v = bytesToBigint(paddedSlice(input, 32, 32))
    if (v !== 27n && v !== 28n) return EMPTY_BYTES
    const compact = paddedSlice(input, 64, 64)
    const address = recoverAddress(paddedSlice(input, 0, 32), compact, Number(v - 27n))
    return address === undefined ? EMPTY_BYTES : padLeft(address, 32)
  },
}

/** Anything but a valid signature gives no output, and is not a failure either. */
export const p256Verify: Precompile = {
  gas: fixedGas(6900n),
  run: (input) =>
    input.length === P256_INPUT &&
    isP256Signature(
      input.subarray(0, 32),
      input.subarray(32, 64),
      input.subarray(64, 96),
      input.subarray(96),
    )
      ? booleanWord(true)
      : EMPTY_BYTES,
}
