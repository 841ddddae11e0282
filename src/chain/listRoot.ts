/** The root of a list as a Merkle-Patricia trie under RLP-encoded indexes: transactionsRoot and receiptsRoot (D51). */
import { bigintToBytes } from '../base/bytes.ts'
import { encodeRlpBytes } from '../base/rlp.ts'
import { leavesRoot } from '../proof/trie/leavesRoot.ts'

const encodeIndex = (index: number): Uint8Array => encodeRlpBytes(bigintToBytes(BigInt(index)))

/** Indexes below this are their own RLP; the encoding of 0 is the byte 0x80. */
const FIRST_LONG = 0x80

// The keys that every block has, created once and never written to.
const KEYS: readonly Uint8Array[] = Array.from({ length: 1024 }, (_, index) => encodeIndex(index))

/** The 32-byte root over values in order, none of them empty; the hash of the empty trie for no values. */
export function listRoot(values: readonly Uint8Array[]): Uint8Array {
  const leaves = values.map((value, index) => ({ key: KEYS[index] ?? encodeIndex(index), value }))
  // In ascending key order the first value comes after those with smaller one-byte keys.
  const [first, ...short] = leaves.slice(0, FIRST_LONG)
  return leavesRoot(first === undefined ? [] : [...short, first, ...leaves.slice(FIRST_LONG)])
}
