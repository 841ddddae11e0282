/** Checks EIP-1186 proofs with an independent implementation. */
import { verifyMerkleProof } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { hexToBytes, keccak256, toHex, type GetProofReturnType, type Hex } from 'viem'

const EMPTY_ROOT = keccak256('0x80')
const EMPTY_CODE = keccak256('0x')

async function valueAt(root: Hex, key: Hex, nodes: readonly Hex[]): Promise<Uint8Array | null> {
  if (nodes.length === 0 && root === EMPTY_ROOT) return null
  const proof = nodes.map((node) => hexToBytes(node))
  if (keccak256(proof[0] ?? new Uint8Array()) !== root)
    throw new Error('the first node does not hash to the root')
  return verifyMerkleProof(hexToBytes(keccak256(key)), proof)
}

/** Whether a result of eth_getProof is valid under a state root: account, absence of an account, and every slot. */
export async function verifyAccountProof(
  stateRoot: Hex,
  proof: GetProofReturnType,
): Promise<boolean> {
  const account = await valueAt(stateRoot, proof.address, proof.accountProof)
  const expected =
    account === null
      ? proof.nonce === 0 && proof.balance === 0n && proof.codeHash === EMPTY_CODE
      : toHex(account) ===
        toHex(
          RLP.encode([
            BigInt(proof.nonce),
            proof.balance,
            hexToBytes(proof.storageHash),
            hexToBytes(proof.codeHash),
          ]),
        )
  if (!expected) return false
  for (const slot of proof.storageProof) {
    const value = await valueAt(proof.storageHash, slot.key, slot.proof)
    if (value === null ? slot.value !== 0n : toHex(value) !== toHex(RLP.encode(slot.value)))
      return false
  }
  return true
}
