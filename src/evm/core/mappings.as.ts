// Keccak-256 for the KECCAK256 opcode. Solidity locates an element of a mapping by the hash of 64 bytes, its key and
// the mapping's slot, and the same elements are used repeatedly: their digests are cached between messages. The cache
// is direct-mapped: a newer entry evicts the older one.
import { digest, state } from '../../base/keccakSponge.as'
import { DIGESTS } from './layout.as'
import { copyWord, readBytes } from './words.as'

@inline const PLACES_LOG: u64 = 14
@inline const ELEMENT: u32 = 64

/** An entry: the 64 bytes, then the digest as a word, which is zero in a free entry. */
@inline const ENTRY: usize = 96

@inline
function isSame(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24)) |
      (load<u64>(a, 32) ^ load<u64>(b, 32)) |
      (load<u64>(a, 40) ^ load<u64>(b, 40)) |
      (load<u64>(a, 48) ^ load<u64>(b, 48)) |
      (load<u64>(a, 56) ^ load<u64>(b, 56))) ==
    0
  )
}

/** After PATIENCE consecutive misses the cache is bypassed for the next PAUSE elements. */
@inline const PATIENCE: u32 = 1024
@inline const PAUSE: u32 = 8192

let strangers: u32 = 0
let pause: u32 = 0

/** Forced collisions only cost what hashing costs without the cache, so there is no secret seed. */
@inline
function mix(bytes: usize): u64 {
  return (
    (load<u64>(bytes) * 0x9e3779b97f4a7c15) ^
    (load<u64>(bytes, 8) * 0xc2b2ae3d27d4eb4f) ^
    (load<u64>(bytes, 16) * 0x165667b19e3779f9) ^
    (bswap(load<u64>(bytes, 24)) * 0xd6e8feb86659fd93) ^
    (load<u64>(bytes, 32) * 0xff51afd7ed558ccd) ^
    (load<u64>(bytes, 40) * 0xc4ceb9fe1a85ec53) ^
    (load<u64>(bytes, 48) * 0x87c37b91114253d5) ^
    (bswap(load<u64>(bytes, 56)) * 0x4cf5ad432745937f)
  )
}

function hash(word: usize, bytes: usize, length: u32): void {
  digest(bytes, length)
  readBytes(word, state)
}

/** Writes the Keccak-256 digest of `length` bytes to a word. */
export function hashInto(word: usize, bytes: usize, length: u32): void {
  if (length != ELEMENT || pause > 0) {
    if (length == ELEMENT) pause--
    hash(word, bytes, length)
    return
  }
  const entry = DIGESTS + <usize>(mix(bytes) >> (64 - PLACES_LOG)) * ENTRY
  const kept = entry + ELEMENT
  if (load<u64>(kept) != 0 && isSame(entry, bytes)) strangers = 0
  else {
    hash(kept, bytes, ELEMENT)
    copyWord(entry, bytes)
    copyWord(entry + 32, bytes + 32)
    strangers++
    if (strangers == PATIENCE) {
      strangers = 0
      pause = PAUSE
    }
  }
  copyWord(word, kept)
}
