/** The root of a list as a Merkle-Patricia trie under RLP-encoded indexes: transactionsRoot and receiptsRoot (D51). */
import { bigintToBytes, compareBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { encodeRlpBytes, encodeRlpList } from '../base/rlp.ts'

type Leaf = { readonly nibbles: Uint8Array; readonly value: Uint8Array }

const EMPTY_STRING = Uint8Array.of(0x80)

function toNibbles(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: bytes.length * 2 }, (_, i) => {
    const byte = bytes[i >> 1] as number
    return i % 2 === 0 ? byte >> 4 : byte & 15
  })
}

/** Hex-prefix encoding of a path (Yellow Paper, appendix C). */
function hexPrefix(nibbles: Uint8Array, isLeaf: boolean): Uint8Array {
  const isOdd = nibbles.length % 2 === 1
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0)
  const padded = isOdd ? [flag, ...nibbles] : [flag, 0, ...nibbles]
  return Uint8Array.from(
    { length: padded.length / 2 },
    (_, i) => (padded[i * 2] as number) * 16 + (padded[i * 2 + 1] as number),
  )
}

/** How a node stands in its parent: itself when short, else its hash. */
function reference(node: Uint8Array): Uint8Array {
  return node.length < 32 ? node : encodeRlpBytes(keccak256(node))
}

function commonPrefix(leaves: readonly Leaf[], from: number): number {
  const first = (leaves[0] as Leaf).nibbles
  const last = (leaves.at(-1) as Leaf).nibbles
  let end = from
  while (end < first.length && end < last.length && first[end] === last[end]) end++
  return end
}

/** RLP of the node over leaves that are sorted and share their first `depth` nibbles. */
function encodeNode(leaves: readonly Leaf[], depth: number): Uint8Array {
  const first = leaves[0] as Leaf
  if (leaves.length === 1) {
    const path = hexPrefix(first.nibbles.subarray(depth), true)
    return encodeRlpList([encodeRlpBytes(path), encodeRlpBytes(first.value)])
  }
  const fork = commonPrefix(leaves, depth)
  if (fork > depth) {
    const path = hexPrefix(first.nibbles.subarray(depth, fork), false)
    return encodeRlpList([encodeRlpBytes(path), reference(encodeNode(leaves, fork))])
  }
  const children: Uint8Array[] = []
  for (let nibble = 0; nibble < 16; nibble++) {
    const below = leaves.filter(({ nibbles }) => nibbles[depth] === nibble)
    children.push(below.length === 0 ? EMPTY_STRING : reference(encodeNode(below, depth + 1)))
  }
  // Keys are RLP of indexes, of which none is a prefix of another: a branch never holds a value.
  return encodeRlpList([...children, EMPTY_STRING])
}

/** The 32-byte root over values in order; the hash of the empty trie for none. */
export function listRoot(values: readonly Uint8Array[]): Uint8Array {
  if (values.length === 0) return keccak256(EMPTY_STRING)
  const leaves = values.map((value, index) => ({
    nibbles: toNibbles(encodeRlpBytes(bigintToBytes(BigInt(index)))),
    value,
  }))
  leaves.sort((a, b) => compareBytes(a.nibbles, b.nibbles))
  return keccak256(encodeNode(leaves, 0))
}
