/** The wire order of each transaction type's fields (EIP-155, 2930, 1559, 7702), used both to read and to write them. */
import { bigintToBytes, concatBytes, EMPTY_BYTES } from '../base/bytes.ts'
import { RlpError, encodeRlp, type RlpItem } from '../base/rlp.ts'
import type { RlpReader } from '../base/rlpReader.ts'
import type { Authorization } from '../evm/transactable.ts'
import type { AccessListEntry } from '../evm/types.ts'
import type { TransactionType, UnsignedTransaction } from './unsignedTransaction.ts'

/** A transaction that is being read: its fields are filled in one by one. */
export type TransactionDraft = {
  -readonly [key in keyof UnsignedTransaction]: UnsignedTransaction[key]
}

/** One field of the unsigned part. `read` throws RlpError. */
export type Field = {
  encode(transaction: UnsignedTransaction): RlpItem
  read(reader: RlpReader, draft: TransactionDraft): void
}

function readAccessListEntry(reader: RlpReader): AccessListEntry {
  const entry = reader.list('access list entry')
  const address = entry.fixed(20, 'access list address')
  const keys = entry.list('storage keys')
  const storageKeys: Uint8Array[] = []
  while (!keys.isAtEnd()) storageKeys.push(keys.fixed(32, 'storage key'))
  expectEnd(entry, 'access list entry', 2)
  return { address, storageKeys }
}

function readAuthorization(reader: RlpReader): Authorization {
  const tuple = reader.list('authorization')
  const authorization = {
    chainId: tuple.uint(256, 'authorization chainId'),
    address: tuple.fixed(20, 'authorization address'),
    nonce: tuple.uint(64, 'authorization nonce'),
    yParity: tuple.uint(8, 'authorization yParity'),
    r: tuple.uint(256, 'authorization r'),
    s: tuple.uint(256, 'authorization s'),
  }
  expectEnd(tuple, 'authorization', 6)
  return authorization
}

function expectEnd(reader: RlpReader, name: string, length: number): void {
  if (!reader.isAtEnd()) throw new RlpError(`${name} has ${length} items`)
}

function readAll<T>(list: RlpReader, readOne: (reader: RlpReader) => T): readonly T[] {
  const items: T[] = []
  while (!list.isAtEnd()) items.push(readOne(list))
  return items
}

type UintName = 'chainId' | 'nonce' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'gasLimit' | 'value'

function uint(name: UintName, bits: 64 | 256): Field {
  return {
    encode: (transaction) => bigintToBytes(transaction[name] ?? 0n),
    read(reader, draft) {
      draft[name] = reader.uint(bits, name)
    },
  }
}

const gasPrice: Field = {
  encode: (transaction) => bigintToBytes(transaction.maxFeePerGas),
  read(reader, draft) {
    draft.maxFeePerGas = reader.uint(256, 'gasPrice')
    draft.maxPriorityFeePerGas = draft.maxFeePerGas
  },
}

const recipientOrCreation: Field = {
  encode: (transaction) => transaction.to ?? EMPTY_BYTES,
  read(reader, draft) {
    const to = reader.bytes('to')
    if (to.length !== 0 && to.length !== 20) throw new RlpError('to has 20 bytes')
    draft.to = to.length === 0 ? undefined : to
  },
}

const recipient: Field = {
  encode: recipientOrCreation.encode,
  read(reader, draft) {
    draft.to = reader.fixed(20, 'to')
  },
}

const data: Field = {
  encode: (transaction) => transaction.data,
  read(reader, draft) {
    draft.data = reader.bytes('data')
  },
}

const accessList: Field = {
  encode: (transaction) =>
    transaction.accessList.map(({ address, storageKeys }) => [address, storageKeys]),
  read(reader, draft) {
    draft.accessList = readAll(reader.list('accessList'), readAccessListEntry)
  },
}

const authorizationList: Field = {
  encode: (transaction) =>
    transaction.authorizationList.map((authorization) => [
      bigintToBytes(authorization.chainId),
      authorization.address,
      bigintToBytes(authorization.nonce),
      bigintToBytes(authorization.yParity),
      bigintToBytes(authorization.r),
      bigintToBytes(authorization.s),
    ]),
  read(reader, draft) {
    draft.authorizationList = readAll(reader.list('authorizationList'), readAuthorization)
  },
}

const chainId = uint('chainId', 256)
const nonce = uint('nonce', 64)
const tip = uint('maxPriorityFeePerGas', 256)
const cap = uint('maxFeePerGas', 256)
const gasLimit = uint('gasLimit', 64)
const value = uint('value', 256)

const FIELDS: Readonly<Record<TransactionType, readonly Field[]>> = {
  0: [nonce, gasPrice, gasLimit, recipientOrCreation, value, data],
  1: [chainId, nonce, gasPrice, gasLimit, recipientOrCreation, value, data, accessList],
  2: [chainId, nonce, tip, cap, gasLimit, recipientOrCreation, value, data, accessList],
  4: [chainId, nonce, tip, cap, gasLimit, recipient, value, data, accessList, authorizationList],
}

/** The fields of the unsigned part, in wire order. */
export function fieldsOf(type: TransactionType): readonly Field[] {
  return FIELDS[type]
}

/** EIP-2718 bytes: the type (none for 0) and the list of the fields, followed by integers. */
export function encodePayload(
  type: TransactionType,
  fields: readonly RlpItem[],
  integers: readonly bigint[],
): Uint8Array {
  const list = encodeRlp([...fields, ...integers.map(bigintToBytes)])
  return type === 0 ? list : concatBytes(Uint8Array.of(type), list)
}
