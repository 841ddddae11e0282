/** The JSON of state tests (ethereum/tests, execution-spec-tests), and the transaction that a case of it names. */
import { padLeft } from '../../src/base/bytes.ts'
import { fromHex, toHex } from '../../src/base/hex.ts'
import { TransactionDecodeError, decodeTransaction } from '../../src/chain/transaction.ts'
import { InvalidTransactionError } from '../../src/evm/invalidTransaction.ts'
import type { Transactable } from '../../src/evm/transactable.ts'
import type { AccessListEntry } from '../../src/evm/types.ts'

export type JsonAccount = {
  readonly nonce: string
  readonly balance: string
  readonly code: string
  readonly storage: Readonly<Record<string, string>>
}
type JsonAccessList = readonly { readonly address: string; readonly storageKeys: string[] }[]
type JsonAuthorization = Readonly<
  Record<'chainId' | 'address' | 'nonce' | 'v' | 'yParity' | 'r' | 's', string>
>
type JsonTransaction = {
  readonly sender: string
  readonly nonce: string
  readonly to: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly authorizationList?: readonly JsonAuthorization[]
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly accessLists?: readonly (JsonAccessList | null)[]
}
export type StateTestPost = {
  readonly hash: string
  readonly logs: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  readonly txbytes?: string
  readonly expectException?: string
}
export type StateTest = {
  readonly env: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, JsonAccount>>
  readonly transaction: JsonTransaction
  readonly post: Readonly<Record<string, readonly StateTestPost[]>>
  readonly config?: {
    readonly chainid?: string
    readonly blobSchedule?: Readonly<Record<string, { readonly baseFeeUpdateFraction: string }>>
  }
}

/** Fillers write integers beyond 256 bits as "0x:bigint 0x…". */
const BIGINT_MARK = '0x:bigint '

/** An integer; 0 where there is none. */
export function number(text: string | undefined): bigint {
  if (text === undefined || text === '0x') return 0n
  return BigInt(text.startsWith(BIGINT_MARK) ? text.slice(BIGINT_MARK.length) : text)
}

export const bytes = (text: string): Uint8Array =>
  fromHex(text.length % 2 === 0 ? text : `0x0${text.slice(2)}`)
export const word = (text: string): Uint8Array => padLeft(bytes(text), 32)

function accessListOf(list: JsonAccessList | null | undefined): AccessListEntry[] {
  return (list ?? []).map(({ address, storageKeys }) => ({
    address: fromHex(address),
    storageKeys: storageKeys.map(word),
  }))
}

function typeOf(transaction: JsonTransaction): number {
  if (transaction.authorizationList !== undefined) return 4
  if (transaction.maxFeePerBlobGas !== undefined) return 3
  if (transaction.maxFeePerGas !== undefined) return 2
  return transaction.accessLists === undefined ? 0 : 1
}

/** The transaction as its fields say. */
function fromFields(test: StateTest, { indexes }: StateTestPost): Transactable {
  const { transaction } = test
  const type = typeOf(transaction)
  const maxFee = number(transaction.maxFeePerGas ?? transaction.gasPrice)
  return {
    type,
    sender: fromHex(transaction.sender),
    nonce: number(transaction.nonce),
    maxFeePerGas: maxFee,
    maxPriorityFeePerGas: number(transaction.maxPriorityFeePerGas ?? transaction.gasPrice),
    gasLimit: number(transaction.gasLimit[indexes.gas]),
    to: transaction.to === '' ? undefined : fromHex(transaction.to),
    value: number(transaction.value[indexes.value]),
    data: bytes(transaction.data[indexes.data] ?? '0x'),
    accessList: accessListOf(transaction.accessLists?.[indexes.data]),
    authorizationList: (transaction.authorizationList ?? []).map((tuple) => ({
      chainId: number(tuple.chainId),
      address: fromHex(tuple.address),
      nonce: number(tuple.nonce),
      yParity: number(tuple.yParity ?? tuple.v),
      r: number(tuple.r),
      s: number(tuple.s),
    })),
    ...(type === 3 && {
      blobs: {
        versionedHashes: (transaction.blobVersionedHashes ?? []).map(fromHex),
        maxFeePerBlobGas: number(transaction.maxFeePerBlobGas),
      },
    }),
  }
}

/** Blobs are refused when they are decoded (D19), though the state transition knows them. */
const BLOB_PREFIX = '0x03'

/** The chain of a test. */
export const chainIdOf = ({ config }: StateTest): bigint => number(config?.chainid ?? '0x01')

/**
 * The transaction of a case: from its signed bytes where they are listed, so that decoding and the sender's recovery are
 * tested, too. Throws InvalidTransactionError where those are none.
 */
export function transactionOf(test: StateTest, post: StateTestPost): Transactable {
  const { txbytes } = post
  if (txbytes === undefined || txbytes.startsWith(BLOB_PREFIX)) return fromFields(test, post)
  try {
    const transaction = decodeTransaction(fromHex(txbytes), chainIdOf(test))
    const sender = toHex(transaction.sender)
    if (sender !== test.transaction.sender.toLowerCase())
      throw new Error(`${sender} is not the listed sender`)
    return transaction
  } catch (error) {
    if (!(error instanceof TransactionDecodeError)) throw error
    throw new InvalidTransactionError('type-not-supported', error.message)
  }
}
