/** The wire order of each transaction type's fields (EIP-155, 2930, 1559, 7702), used both to read and to write them. */
import { bigintToBytes, bytesToBigint, concatBytes, EMPTY_BYTES } from '../base/bytes.ts'
import { RlpError, encodeRlp, type RlpItem } from '../base/rlp.ts'
import type { Authorization } from '../evm/transactable.ts'
import type { AccessListEntry } from '../evm/types.ts'
import type { TransactionType, UnsignedTransaction } from './unsignedTransaction.ts'

/** One field of the unsigned part. `decode` throws RlpError. */
export type Field = {
  encode(transaction: UnsignedTransaction): RlpItem
  decode(item: RlpItem): Partial<UnsignedTransaction>
}

function readBytes(item: RlpItem | undefined, name: string): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw new RlpError(`${name} is a byte string`)
}

function readList(item: RlpItem | undefined, name: string, length?: number): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new RlpError(`${name} is a list`)
  if (length !== undefined && item.length !== length)
    throw new RlpError(`${name} has ${length} items`)
  return item
}

function readSized(item: RlpItem | undefined, size: number, name: string): Uint8Array {
  const bytes = readBytes(item, name)
  if (bytes.length !== size) throw new RlpError(`${name} has ${size} bytes`)
  return bytes
}

/** An unsigned integer of at most `bits`, without leading zeros. Throws RlpError. */
export function readUint(item: RlpItem | undefined, bits: number, name: string): bigint {
  const bytes = readBytes(item, name)
  if (bytes[0] === 0) throw new RlpError(`${name} has leading zeros`)
  if (bytes.length * 8 > bits) throw new RlpError(`${name} has at most ${bits} bits`)
  return bytesToBigint(bytes)
}

function readAccessListEntry(item: RlpItem): AccessListEntry {
  const [address, storageKeys] = readList(item, 'access list entry', 2)
  return {
    address: readSized(address, 20, 'access list address'),
    storageKeys: readList(storageKeys, 'storage keys').map((key) =>
      readSized(key, 32, 'storage key'),
    ),
  }
}

function readAuthorization(item: RlpItem): Authorization {
  const [chainId, address, nonce, yParity, r, s] = readList(item, 'authorization', 6)
  return {
    chainId: readUint(chainId, 256, 'authorization chainId'),
    address: readSized(address, 20, 'authorization address'),
    nonce: readUint(nonce, 64, 'authorization nonce'),
    yParity: readUint(yParity, 8, 'authorization yParity'),
    r: readUint(r, 256, 'authorization r'),
    s: readUint(s, 256, 'authorization s'),
  }
}

type UintName = 'chainId' | 'nonce' | 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'gasLimit' | 'value'

function uint(name: UintName, bits: 64 | 256): Field {
  return {
    encode: (transaction) => bigintToBytes(transaction[name] ?? 0n),
    decode: (item) => ({ [name]: readUint(item, bits, name) }),
  }
}

const gasPrice: Field = {
  encode: (transaction) => bigintToBytes(transaction.maxFeePerGas),
  decode(item) {
    const price = readUint(item, 256, 'gasPrice')
    return { maxFeePerGas: price, maxPriorityFeePerGas: price }
  },
}

const recipientOrCreation: Field = {
  encode: (transaction) => transaction.to ?? EMPTY_BYTES,
  decode: (item) => ({
    to: readBytes(item, 'to').length === 0 ? undefined : readSized(item, 20, 'to'),
  }),
}

const recipient: Field = {
  encode: recipientOrCreation.encode,
  decode: (item) => ({ to: readSized(item, 20, 'to') }),
}

const data: Field = {
  encode: (transaction) => transaction.data,
  decode: (item) => ({ data: readBytes(item, 'data') }),
}

const accessList: Field = {
  encode: (transaction) =>
    transaction.accessList.map(({ address, storageKeys }) => [address, storageKeys]),
  decode: (item) => ({ accessList: readList(item, 'accessList').map(readAccessListEntry) }),
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
  decode: (item) => ({
    authorizationList: readList(item, 'authorizationList').map(readAuthorization),
  }),
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
