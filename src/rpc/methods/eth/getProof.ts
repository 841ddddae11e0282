import { z } from 'zod'
import { list, scalarText } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
import { bytesToBigint } from '../../../base/bytes.ts'
import { toHex } from '../../../base/hex.ts'
import { toQuantity } from '../../../base/quantity.ts'
import type { AccountProof } from '../../../chain/reader.ts'
import { RpcError } from '../../../wire/errors.ts'
import { readInto } from '../../../wire/goWords.ts'
import { method, type Result } from '../../../wire/method.ts'
import { address } from '../../../wire/schema.ts'
import { addressShape, dataShape, hashShape, quantityShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'
import { block, readState, requireHeader } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'
import { decodeStorageKey } from '../../parameters/storageKey.ts'

const MAX_KEYS = 1024

const proofShape = z.strictObject({
  address: addressShape,
  accountProof: z.array(dataShape),
  balance: quantityShape,
  codeHash: hashShape,
  nonce: quantityShape,
  storageHash: hashShape,
  storageProof: z.array(
    z.strictObject({ key: z.string(), value: quantityShape, proof: z.array(dataShape) }),
  ),
})

type ProofAnswer = {
  readonly address: Uint8Array
  /** As texts of the answer (D47). */
  readonly keys: readonly string[]
  readonly proof: AccountProof
}

const proofResult: Result<ProofAnswer> = {
  schema: proofShape,
  encode: ({ address, keys, proof }) => ({
    address: toHex(address),
    accountProof: proof.accountProof.map(toHex),
    balance: toQuantity(proof.balance),
    codeHash: toHex(proof.codeHash),
    nonce: toQuantity(proof.nonce),
    storageHash: toHex(proof.storageRoot),
    storageProof: proof.storageProof.map((slot, index) => ({
      key: keys[index],
      value: toQuantity(bytesToBigint(slot.value)),
      proof: slot.proof.map(toHex),
    })),
  }),
}

const FULL_DIGITS = 64

/** A key of 32 bytes as DATA, a shorter one as QUANTITY, as go-ethereum writes them (D47). */
function shownKey(key: string): string {
  const bytes = decodeStorageKey(key)
  const digits = /^0x/i.test(key) ? key.length - 2 : key.length
  return digits >= FULL_DIGITS - 1 ? toHex(bytes) : toQuantity(bytesToBigint(bytes))
}

export const eth_getProof = method({
  summary:
    'Merkle-Patricia proof of an account and its storage slots against the state root of a block (EIP-1186).',
  params: { address, keys: readInto(list(scalarText(), BOUNDS.storageKeys), '[]string'), block },
  result: proofResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { address, keys, block }) => {
    if (keys.length > MAX_KEYS)
      throw new RpcError('invalidParams', `too many slots (max ${MAX_KEYS})`)
    const slots = keys.map(decodeStorageKey)
    return atBlock(world, block, ({ chain, block }) => {
      const { height } = requireHeader(chain, block)
      return {
        address,
        keys: keys.map(shownKey),
        proof: readState(() => chain.proof(height, address, slots)),
      }
    })
  },
})
