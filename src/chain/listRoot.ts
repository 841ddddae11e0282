/** The root of a list as a Merkle-Patricia trie under RLP-encoded indexes: transactionsRoot and receiptsRoot (D51). */
import { bigintToBytes, compareBytes } from '../base/bytes.ts'
import { encodeRlpBytes } from '../base/rlp.ts'
import { leavesRoot } from './trie/leavesRoot.ts'

/** The 32-byte root over values in order, none of them empty; the hash of the empty trie for no values. */
export function listRoot(values: readonly Uint8Array[]): Uint8Array {
  const leaves = values.map((value, index) => ({
    key: encodeRlpBytes(bigintToBytes(BigInt(index))),
    value,
  }))
  // RLP orders 0 behind 127: the order of the list is not that of its keys.
  leaves.sort((a, b) => compareBytes(a.key, b.key))
  return leavesRoot(leaves)
}
