/** Block and header objects (interface.md, "Block"; D4 for the proof-of-work fields, D5 for the added ones). */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { BlockProfile, Result } from '../../wire/method.ts'
import {
  addressShape,
  bloomShape,
  dataShape,
  emptyListShape,
  hashShape,
  quantityShape,
} from '../../wire/shapes.ts'
import { encodeTransaction, transactionShape } from './transaction.ts'

/** Keccak-256 of the RLP of an empty list: the uncles hash of a block without uncles. */
const EMPTY_UNCLES_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const ZERO_NONCE = '0x0000000000000000'

/** A header as newHeads sends it. The proof-of-work fields are null or constants, depending on the caller's profile. */
export const headerShape = z.strictObject({
  number: quantityShape,
  hash: hashShape,
  parentHash: hashShape,
  stateRoot: hashShape,
  transactionsRoot: hashShape,
  receiptsRoot: hashShape,
  logsBloom: bloomShape,
  miner: addressShape,
  timestamp: quantityShape,
  gasLimit: quantityShape,
  gasUsed: quantityShape,
  extraData: dataShape,
  mixHash: hashShape,
  baseFeePerGas: quantityShape,
  difficulty: z.literal('0x0').nullable(),
  nonce: z.literal(ZERO_NONCE).nullable(),
  sha3Uncles: z.literal(EMPTY_UNCLES_HASH).nullable(),
  totalDifficulty: z.literal('0x0').nullable(),
})

/** A Block on the wire: with hashes of its transactions, or whole objects. */
export const blockShape = headerShape.extend({
  size: quantityShape,
  transactions: z.union([z.array(hashShape), z.array(transactionShape)]),
  uncles: emptyListShape,
})

const PROOF_OF_WORK = {
  spec: { difficulty: null, nonce: null, sha3Uncles: null, totalDifficulty: null },
  ethereum: {
    difficulty: '0x0',
    nonce: ZERO_NONCE,
    sha3Uncles: EMPTY_UNCLES_HASH,
    totalDifficulty: '0x0',
  },
} as const

/** The wire form of a header, without the fields that need the block's body: transactions, uncles, size. */
export function encodeHeader(header: BlockHeader, profile: BlockProfile): object {
  return {
    number: toQuantity(header.height),
    hash: toHex(header.hash),
    parentHash: toHex(header.parentHash),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    miner: toHex(header.coinbase),
    timestamp: toQuantity(timestampOf(header)),
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    extraData: '0x',
    mixHash: toHex(header.prevRandao),
    baseFeePerGas: toQuantity(header.baseFeePerGas),
    ...PROOF_OF_WORK[profile],
  }
}

/** The transactions of a block, in order: whole, or only their hashes. */
export type BlockBody = readonly Transaction[] | readonly Uint8Array[]

/** The block's transactions as objects, or as hashes if only these are given. */
export function encodeBlockTransactions(header: BlockHeader, body: BlockBody): readonly unknown[] {
  return body.map((transaction, index) =>
    transaction instanceof Uint8Array
      ? toHex(transaction)
      : encodeTransaction(transaction, { header, index }),
  )
}

/** The wire form of a block. */
export function encodeBlock(header: BlockHeader, body: BlockBody, profile: BlockProfile): object {
  return {
    ...encodeHeader(header, profile),
    size: toQuantity(header.size),
    transactions: encodeBlockTransactions(header, body),
    uncles: [],
  }
}

/** Encodes a header with its size, in the caller's profile, or null for an unknown one. */
export const headerResult: Result<BlockHeader | undefined> = {
  schema: headerShape.extend({ size: quantityShape }).nullable(),
  encode: (header, { profile }) =>
    header ? { ...encodeHeader(header, profile), size: toQuantity(header.size) } : null,
}

/** A block with the transactions to include in its object. */
export type BlockWithTransactions = { readonly header: BlockHeader; readonly body: BlockBody }

/** A pending block on the wire: nobody has decided it yet (D61). */
const pendingBlockShape = blockShape.extend({ hash: z.null(), nonce: z.null(), miner: z.null() })

/** Encodes a Block as `blockResult` does; the pending one without hash, nonce and miner, as go-ethereum shows it. */
export const blockOrPendingResult: Result<
  (BlockWithTransactions & { readonly isPending: boolean }) | undefined
> = {
  schema: z.union([blockShape, pendingBlockShape]).nullable(),
  encode(block, { profile }) {
    if (!block) return null
    const encoded = encodeBlock(block.header, block.body, profile)
    return block.isPending ? { ...encoded, hash: null, nonce: null, miner: null } : encoded
  },
}

/** Encodes a Block in the caller's profile, or null for an unknown one. */
export const blockResult: Result<BlockWithTransactions | undefined> = {
  schema: blockShape.nullable(),
  encode: (block, { profile }) => (block ? encodeBlock(block.header, block.body, profile) : null),
}
