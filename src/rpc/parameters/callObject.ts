/** The transaction call object (interface.md; D9 for the aliases `gasLimit` and `input`). Unknown keys are ignored. */
import { z } from 'zod'
import { guarded, list } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import type { UnsignedTransaction } from '../../chain/unsignedTransaction.ts'
import { accepting, acceptOf, type Accept } from '../../wire/accept.ts'
import { RpcError } from '../../wire/errors.ts'
import { readInto, unfit } from '../../wire/goWords.ts'
import { address, data, hash, quantity, uint64Quantity } from '../../wire/schema.ts'

type Authorizations = UnsignedTransaction['authorizationList']

const NOTHING: Accept<unknown> = () => undefined
const acceptQuantity = acceptOf(quantity) ?? NOTHING

const MAX_UINT64 = (1n << 64n) - 1n

const uint64 = accepting(
  uint64Quantity.refine(
    (value) => value <= MAX_UINT64,
    unfit('hex number > 64 bits', 'hexutil.Uint64'),
  ),
  (given) => {
    const value = acceptQuantity(given)
    return typeof value === 'bigint' && value <= MAX_UINT64 ? value : undefined
  },
)

const authorization = z.object({
  chainId: quantity,
  address,
  nonce: uint64,
  yParity: quantity,
  r: quantity,
  s: quantity,
})

/** Addresses and storage keys, as far as they stand where they belong. */
function accessListSize(value: unknown): number {
  if (!Array.isArray(value)) return 0
  let size = value.length
  for (const entry of value as readonly { readonly storageKeys?: unknown }[]) {
    const keys: unknown = entry?.storageKeys
    if (Array.isArray(keys)) size += keys.length
  }
  return size
}

const accessList = guarded(
  list(z.object({ address, storageKeys: list(hash, BOUNDS.accessList) }), BOUNDS.accessList),
  { max: BOUNDS.accessList, unit: 'addresses and storage keys', measure: accessListSize },
)

const fullCall = z.object({
  from: address.nullish(),
  to: address.nullish(),
  gas: uint64.nullish(),
  gasLimit: uint64.nullish(),
  gasPrice: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  value: quantity.nullish(),
  data: data.nullish(),
  input: data.nullish(),
  nonce: uint64.nullish(),
  chainId: quantity.nullish(),
  accessList: accessList.nullish(),
  authorizationList: list(authorization, BOUNDS.authorizations).nullish(),
  blobVersionedHashes: list(hash, BOUNDS.list).nullish(),
})

export type GivenCall = z.output<typeof fullCall>

/** The fast paths of the fields that nearly every call consists of. */
const FIELDS: ReadonlyMap<string, Accept<unknown>> = new Map(
  Object.entries({
    from: address,
    to: address,
    data,
    input: data,
    value: quantity,
    gas: uint64,
    gasLimit: uint64,
    gasPrice: quantity,
    maxFeePerGas: quantity,
    maxPriorityFeePerGas: quantity,
    nonce: uint64,
    chainId: quantity,
  }).map(([name, schema]) => [name, acceptOf(schema) ?? NOTHING]),
)

function acceptCall(value: unknown): GivenCall | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const call: Record<string, unknown> = {}
  const members = value as Readonly<Record<string, unknown>>
  // Leaves at the first unknown name, however many there are.
  for (const name in members) {
    const accepted = FIELDS.get(name)?.(members[name])
    if (accepted === undefined) return undefined
    call[name] = accepted
  }
  return call
}

/** A call object as given. Everything is optional; each method decides what it requires. */
export const callObject = readInto(accepting(fullCall, acceptCall), 'ethapi.TransactionArgs')

/** A call object with its aliases resolved; absent numbers stay absent, since their defaults differ by method. */
export type CallFields = {
  readonly from: Uint8Array | undefined
  /** undefined creates a contract. */
  readonly to: Uint8Array | undefined
  readonly gas: bigint | undefined
  readonly gasPrice: bigint | undefined
  readonly maxFeePerGas: bigint | undefined
  readonly maxPriorityFeePerGas: bigint | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly nonce: bigint | undefined
  readonly chainId: bigint | undefined
  readonly accessList: UnsignedTransaction['accessList'] | undefined
  readonly authorizationList: Authorizations | undefined
}

function dataOf({ data, input }: GivenCall): Uint8Array {
  if (data && input && !equalBytes(data, input))
    throw new RpcError(
      'server',
      'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
    )
  return input ?? data ?? EMPTY_BYTES
}

/**
 * The fields of a call object, with the checks that all methods share. Throws RpcError -32000 with go-ethereum's
 * message for contradictory fees or data, a foreign chain id, and blobs (D19).
 */
export function callFields(call: GivenCall, chainId: bigint): CallFields {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = call
  if (gasPrice != null && (maxFeePerGas != null || maxPriorityFeePerGas != null))
    throw new RpcError(
      'server',
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
    )
  if (maxFeePerGas != null && maxPriorityFeePerGas != null && maxFeePerGas < maxPriorityFeePerGas)
    throw new RpcError(
      'server',
      `maxFeePerGas (${maxFeePerGas}) < maxPriorityFeePerGas (${maxPriorityFeePerGas})`,
    )
  if (call.chainId != null && call.chainId !== chainId)
    throw new RpcError(
      'server',
      `chainId does not match node's (have=${call.chainId}, want=${chainId})`,
    )
  if (call.blobVersionedHashes) throw new RpcError('server', 'transaction type not supported')
  return {
    from: call.from ?? undefined,
    to: call.to ?? undefined,
    gas: call.gas ?? call.gasLimit ?? undefined,
    gasPrice: gasPrice ?? undefined,
    maxFeePerGas: maxFeePerGas ?? undefined,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? undefined,
    value: call.value ?? 0n,
    data: dataOf(call),
    nonce: call.nonce ?? undefined,
    chainId: call.chainId ?? undefined,
    accessList: call.accessList ?? undefined,
    authorizationList: call.authorizationList ?? undefined,
  }
}
