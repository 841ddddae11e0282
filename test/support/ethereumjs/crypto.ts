/**
 * Cryptography that the library lets callers supply: ours where it is native and faster, and KZG, which it does not
 * include.
 */
import type { CustomCrypto } from '@ethereumjs/common'
import { concatBytes } from '../../../src/base/bytes.ts'
import { fromHex } from '../../../src/base/hex.ts'
import { keccak256 } from '../../../src/base/keccak.ts'
import { recoverPublicKey } from '../../../src/base/secp256k1.ts'
import { verifyKzgProof } from './kzg.ts'

function ecrecover(digest: Uint8Array, v: bigint, r: Uint8Array, s: Uint8Array): Uint8Array {
  const publicKey = recoverPublicKey(digest, concatBytes(r, s), Number(v - 27n))
  if (publicKey === undefined) throw new Error('no public key for this signature')
  return publicKey.subarray(1)
}

function verifyProof(commitment: string, z: string, y: string, proof: string): boolean {
  try {
    return verifyKzgProof(fromHex(commitment), fromHex(z), fromHex(y), fromHex(proof))
  } catch (error) {
    // The library knows bad arguments by this name of the C implementation.
    throw new Error('C_KZG_BADARGS', { cause: error })
  }
}

function unsupported(): never {
  throw new Error('making KZG commitments is not supported')
}

export const customCrypto: CustomCrypto = {
  keccak256,
  ecrecover,
  kzg: {
    verifyProof,
    blobToKzgCommitment: unsupported,
    computeBlobProof: unsupported,
    verifyBlobProofBatch: unsupported,
    computeCells: unsupported,
    computeCellsAndProofs: unsupported,
    recoverCellsAndProofs: unsupported,
    verifyCellKzgProofBatch: unsupported,
  },
}
