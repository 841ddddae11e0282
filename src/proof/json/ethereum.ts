/** Responses of an untrusted Ethereum JSON-RPC: eth_getProof and eth_getTransactionReceipt. */
import { z } from 'zod'
import { tryFromHex } from '../../base/hex.ts'
import { tryFromQuantity } from '../../base/quantity.ts'

const MAX_DEPTH = 65
const MAX_SLOTS = 1024

function bytes(length?: number) {
  return z.string().transform((text, context) => {
    const value = tryFromHex(text)
    if (value !== undefined && (length === undefined || value.length === length)) return value
    const size = length === undefined ? '' : ` of ${length} bytes`
    context.addIssue({ code: 'custom', message: `expected DATA${size}` })
    return z.NEVER
  })
}

const quantity = z.string().transform((text, context) => {
  const value = text.length <= 66 ? tryFromQuantity(text) : undefined
  if (value !== undefined) return value
  context.addIssue({ code: 'custom', message: 'expected a QUANTITY' })
  return z.NEVER
})

/** A QUANTITY that is exact as a number. */
export const countQuantity = quantity
  .refine((value) => value <= Number.MAX_SAFE_INTEGER, 'is too large')
  .transform(Number)

const nodes = z.array(bytes()).max(MAX_DEPTH, 'a trie has no path of so many nodes')

/** eth_getProof. */
export const accountProofAnswer = z.object({
  address: bytes(20),
  accountProof: nodes,
  balance: quantity,
  codeHash: bytes(32),
  nonce: quantity,
  storageHash: bytes(32),
  storageProof: z
    .array(z.object({ key: z.string(), value: quantity, proof: nodes }))
    .max(MAX_SLOTS, 'too many slots'),
})

const log = z.object({
  address: bytes(20),
  topics: z.array(bytes(32)).max(4, 'a log has at most four topics'),
  data: bytes(),
  blockNumber: countQuantity,
  blockHash: bytes(32),
  transactionHash: bytes(32),
  transactionIndex: countQuantity,
})

/** eth_getTransactionReceipt; null for a transaction that is pending or unknown. */
export const receiptAnswer = z
  .object({
    transactionHash: bytes(32),
    transactionIndex: countQuantity,
    blockHash: bytes(32),
    blockNumber: countQuantity,
    from: bytes(20),
    to: bytes(20).nullable(),
    contractAddress: bytes(20).nullable(),
    gasUsed: quantity,
    cumulativeGasUsed: quantity,
    logs: z.array(log),
    logsBloom: bytes(256),
    status: z.enum(['0x0', '0x1']).transform((text): 0 | 1 => (text === '0x1' ? 1 : 0)),
    type: countQuantity.refine((type) => type < 128, 'expected a transaction type'),
  })
  .nullable()

/** The position of an included transaction in eth_getTransactionByHash; null if it is unknown. */
export const transactionPlaceAnswer = z.object({ blockNumber: countQuantity.nullable() }).nullable()

export type ReceiptAnswer = NonNullable<z.infer<typeof receiptAnswer>>
