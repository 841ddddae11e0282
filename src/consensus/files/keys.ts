/** The validator's and the node's key files: priv_validator_key.json and node_key.json of CometBFT (D22). */
import { z } from 'zod'
import { toBase64 } from '../../base/base64.ts'
import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { ed25519Signer, generateEd25519Seed, type Ed25519Signer } from '../../base/ed25519.ts'
import { UserError } from '../../base/errors.ts'
import { writeFileAtomic } from '../../base/files.ts'
import { toHexDigits, toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { base64, hexDigits, publicKey } from '../../proof/comet/json/scalars.ts'
import { addressOfPublicKey } from '../../proof/comet/validators.ts'
import { parseJsonFile, readPrivateFile } from './jsonFile.ts'

const PRIVATE_KEY = 'tendermint/PrivKeyEd25519'
const PUBLIC_KEY = 'tendermint/PubKeyEd25519'

// CometBFT writes a private key as seed followed by public key, 64 bytes.
const privateKey = z.object({
  type: z.literal(PRIVATE_KEY, `only ${PRIVATE_KEY} is supported`),
  value: base64.refine((bytes) => bytes.length === 64, 'expected 64 bytes'),
})

const validatorKeyFile = z.object({
  address: hexDigits,
  pub_key: publicKey,
  priv_key: privateKey,
})
const nodeKeyFile = z.object({ priv_key: privateKey })

/** A validator's identity: its signer and its 20-byte consensus address. */
export type ValidatorKey = { readonly signer: Ed25519Signer; readonly address: Uint8Array }

function signerOf(file: string, privateBytes: Uint8Array): Ed25519Signer {
  const signer = ed25519Signer(privateBytes.subarray(0, 32))
  if (!equalBytes(signer.publicKey, privateBytes.subarray(32)))
    throw new UserError(`${file}: priv_key.value: its two halves do not match`)
  return signer
}

function privateKeyJson(seed: Uint8Array, signer: Ed25519Signer): object {
  return { type: PRIVATE_KEY, value: toBase64(concatBytes(seed, signer.publicKey)) }
}

/** JSON of a public key. */
export function publicKeyJson(bytes: Uint8Array): object {
  return { type: PUBLIC_KEY, value: toBase64(bytes) }
}

/** Writes a new validator key, mode 0600. The seed (32 bytes) is random by default. */
export function createValidatorKey(file: string, seed = generateEd25519Seed()): ValidatorKey {
  const signer = ed25519Signer(seed)
  const address = addressOfPublicKey(sha256, signer.publicKey)
  const json = {
    address: toUpperHexDigits(address),
    pub_key: publicKeyJson(signer.publicKey),
    priv_key: privateKeyJson(seed, signer),
  }
  writeFileAtomic(file, `${JSON.stringify(json, undefined, 2)}\n`)
  return { signer, address }
}

/** Reads a validator key. Throws UserError when it is missing or malformed, or when its parts do not match. */
export function loadValidatorKey(file: string): ValidatorKey {
  const text = readPrivateFile(file, 'Restore it from a backup; a new key is a new validator.')
  const json = parseJsonFile(file, text, validatorKeyFile)
  const signer = signerOf(file, json.priv_key.value)
  const address = addressOfPublicKey(sha256, signer.publicKey)
  if (!equalBytes(json.pub_key.value, signer.publicKey) || !equalBytes(json.address, address))
    throw new UserError(`${file}: address, pub_key and priv_key do not match`)
  return { signer, address }
}

/** Writes a new node key, mode 0600, and returns the node's id: 40 lower-case hex digits. */
export function createNodeKey(file: string, seed = generateEd25519Seed()): string {
  const signer = ed25519Signer(seed)
  writeFileAtomic(file, JSON.stringify({ priv_key: privateKeyJson(seed, signer) }))
  return toHexDigits(addressOfPublicKey(sha256, signer.publicKey))
}

/** The id of the node whose key file this is. Throws UserError. */
export function loadNodeId(file: string): string {
  const text = readPrivateFile(file, 'Restore it from a backup, or create a new home folder.')
  const { priv_key: key } = parseJsonFile(file, text, nodeKeyFile)
  return toHexDigits(addressOfPublicKey(sha256, signerOf(file, key.value).publicKey))
}
