/** Transaction objects (interface.md, "Transaction"; the typed fields of D5 as execution-apis names them). */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { effectiveGasPrice } from '../../evm/fees.ts'
import type { Result } from '../../wire/method.ts'
import { addressShape, dataShape, hashShape, quantityShape } from '../../wire/shapes.ts'

const accessListShape = z.array(
  z.strictObject({ address: addressShape, storageKeys: z.array(hashShape) }),
)

const authorizationShape = z.strictObject({
  chainId: quantityShape,
  address: addressShape,
  nonce: quantityShape,
  yParity: quantityShape,
  r: quantityShape,
  s: quantityShape,
})

/** A Transaction on the wire; the block's fields are null while it is pending. */
export const transactionShape = z.strictObject({
  blockHash: hashShape.nullable(),
  blockNumber: quantityShape.nullable(),
  blockTimestamp: quantityShape.nullable(),
  transactionIndex: quantityShape.nullable(),
  hash: hashShape,
  type: z.enum(['0x0', '0x1', '0x2', '0x4']),
  from: addressShape,
  to: addressShape.nullable(),
  nonce: quantityShape,
  value: quantityShape,
  input: dataShape,
  gas: quantityShape,
  gasPrice: quantityShape,
  maxFeePerGas: quantityShape.optional(),
  maxPriorityFeePerGas: quantityShape.optional(),
  chainId: quantityShape.optional(),
  accessList: accessListShape.optional(),
  authorizationList: z.array(authorizationShape).optional(),
  v: quantityShape,
  r: quantityShape,
  s: quantityShape,
  yParity: quantityShape.optional(),
})

/** Position of a transaction: its block, and its index among the block's Ethereum transactions. */
export type BlockPosition = { readonly header: BlockHeader; readonly index: number }

function encodeAuthorization(
  authorization: Transaction['authorizationList'][number],
): z.output<typeof authorizationShape> {
  return {
    chainId: toQuantity(authorization.chainId),
    address: toHex(authorization.address),
    nonce: toQuantity(authorization.nonce),
    yParity: toQuantity(authorization.yParity),
    r: toQuantity(authorization.r),
    s: toQuantity(authorization.s),
  }
}

function encodePosition(position: BlockPosition | undefined): object {
  return {
    blockHash: position ? toHex(position.header.hash) : null,
    blockNumber: position ? toQuantity(position.header.height) : null,
    blockTimestamp: position ? toQuantity(timestampOf(position.header)) : null,
    transactionIndex: position ? toQuantity(position.index) : null,
  }
}

/** Fields that types 1, 2 and 4 have in addition to a legacy transaction's. */
function encodeTyped(transaction: Transaction): object {
  const { type, accessList, authorizationList } = transaction
  if (type === 0) return {}
  return {
    accessList: accessList.map((entry) => ({
      address: toHex(entry.address),
      storageKeys: entry.storageKeys.map(toHex),
    })),
    yParity: toQuantity(transaction.v),
    ...(type !== 1 && {
      maxFeePerGas: toQuantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
    }),
    ...(type === 4 && { authorizationList: authorizationList.map(encodeAuthorization) }),
  }
}

/**
 * The wire form of a transaction; without a position it is pending. `gasPrice` is the price it paid, or the fee cap
 * while pending. `chainId` is absent for a legacy transaction without EIP-155 protection.
 */
export function encodeTransaction(
  transaction: Transaction,
  position: BlockPosition | undefined,
): object {
  const gasPrice = position
    ? effectiveGasPrice(transaction, position.header.baseFeePerGas)
    : transaction.maxFeePerGas
  return {
    ...encodePosition(position),
    hash: toHex(transaction.hash),
    type: toQuantity(transaction.type),
    from: toHex(transaction.sender),
    to: transaction.to ? toHex(transaction.to) : null,
    nonce: toQuantity(transaction.nonce),
    value: toQuantity(transaction.value),
    input: toHex(transaction.data),
    gas: toQuantity(transaction.gasLimit),
    gasPrice: toQuantity(gasPrice),
    ...(transaction.chainId !== undefined && { chainId: toQuantity(transaction.chainId) }),
    ...encodeTyped(transaction),
    v: toQuantity(transaction.v),
    r: toQuantity(transaction.r),
    s: toQuantity(transaction.s),
  }
}

/** A transaction, with its position once it is in a block. */
export type PlacedTransaction = {
  readonly transaction: Transaction
  readonly position: BlockPosition | undefined
}

/** Encodes a Transaction, or null for an unknown one. */
export const transactionResult: Result<PlacedTransaction | undefined> = {
  schema: transactionShape.nullable(),
  encode: (placed) => (placed ? encodeTransaction(placed.transaction, placed.position) : null),
}
