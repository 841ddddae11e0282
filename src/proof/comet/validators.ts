/** Validator sets: addresses, order, hash and record. */
import { compareBytes, concatBytes } from '../../base/bytes.ts'
import type { Sha256 } from './crypto.ts'
import { merkleRoot } from './merkle.ts'
import { bytesField, messageField, varintField, type Message } from './protobuf.ts'
import type { Validator } from './types.ts'

/** The 20-byte address of an ed25519 key: the first 20 bytes of its SHA-256. Node ids are derived the same way. */
export function addressOfPublicKey(sha256: Sha256, publicKey: Uint8Array): Uint8Array {
  return sha256(publicKey).slice(0, 20)
}

/** Validators in CometBFT's order: by power, highest first, then by address. */
export function sortValidators(validators: readonly Validator[]): readonly Validator[] {
  return [...validators].sort((a, b) => {
    if (a.power !== b.power) return a.power > b.power ? -1 : 1
    return compareBytes(a.address, b.address)
  })
}

const encodePublicKey = (publicKey: Uint8Array) => bytesField(1, publicKey)

/** `validators_hash`: Merkle root over SimpleValidator {pub_key = 1 {ed25519 = 1}, voting_power = 2}, in set order. */
export function validatorsHash(sha256: Sha256, validators: readonly Validator[]): Uint8Array {
  const leaves = validators.map((validator) =>
    concatBytes(
      messageField(1, encodePublicKey(validator.publicKey)),
      varintField(2, validator.power),
    ),
  )
  return merkleRoot(sha256, leaves)
}

/** Validator proto {address = 1, pub_key = 2, voting_power = 3, proposer_priority = 4}. */
export function encodeValidator(validator: Validator): Uint8Array {
  return concatBytes(
    bytesField(1, validator.address),
    messageField(2, encodePublicKey(validator.publicKey)),
    varintField(3, validator.power),
    varintField(4, validator.proposerPriority),
  )
}

/** The validator in a parsed record. Throws ProtobufError. */
export function decodeValidator(message: Message): Validator {
  return {
    address: message.bytes(1),
    publicKey: message.message(2).bytes(1),
    power: message.int(3),
    proposerPriority: message.int(4),
  }
}
