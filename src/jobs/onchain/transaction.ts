/** Transactions signed by our keys: legacy ones with replay protection (EIP-155), which every EVM chain accepts. */
import { bigintToBytes, EMPTY_BYTES, trimLeft } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { sign } from '../../base/secp256k1.ts'

/** Amounts are in the smallest unit. `to` has 20 bytes; without it, the data creates a contract. */
export type LegacyTransaction = {
  readonly chainId: bigint
  readonly nonce: bigint
  readonly gasPrice: bigint
  readonly gasLimit: bigint
  readonly to?: Uint8Array
  readonly value: bigint
  readonly data: Uint8Array
}

/** The signed bytes. */
export function signLegacyTransaction(
  { chainId, nonce, gasPrice, gasLimit, to = EMPTY_BYTES, value, data }: LegacyTransaction,
  privateKey: Uint8Array,
): Uint8Array {
  const integers = [nonce, gasPrice, gasLimit].map(bigintToBytes)
  const fields = [...integers, to, bigintToBytes(value), data]
  const digest = keccak256(encodeRlp([...fields, bigintToBytes(chainId), EMPTY_BYTES, EMPTY_BYTES]))
  const { compact, yParity } = sign(digest, privateKey)
  const v = chainId * 2n + 35n + BigInt(yParity)
  const r = trimLeft(compact.subarray(0, 32))
  const s = trimLeft(compact.subarray(32))
  return encodeRlp([...fields, bigintToBytes(v), r, s])
}

/** The transaction hash of signed bytes. */
export function transactionHash(raw: Uint8Array): Uint8Array {
  return keccak256(raw)
}
