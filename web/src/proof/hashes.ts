/** The hashes of src/base for a page: no Node, and no WebAssembly, which its content-security policy forbids. */
export { keccak_256 as keccak256 } from '@noble/hashes/sha3.js'
export { sha256 } from '@noble/hashes/sha2.js'
