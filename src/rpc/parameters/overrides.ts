/**
 * State and block overrides of eth_call and related methods (go-ethereum's names; execution-apis' for eth_simulateV1).
 */
import { z } from 'zod'
import { list, record as boundedRecord } from '../../base/boundedSchema.ts'
import { BOUNDS } from '../../base/bounds.ts'
import { bytesToBigint } from '../../base/bytes.ts'
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { fromHex, toHexDigits, tryFromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { isPrecompile } from '../../evm/tracers/flat.ts'
import {
  EMPTY_CODE_HASH,
  type AccountEffect,
  type BlockEnvironment,
  type Effects,
  type StateView,
} from '../../evm/types.ts'
import { accepting } from '../../wire/accept.ts'
import { RpcError } from '../../wire/errors.ts'
import { address, data, hash, quantity } from '../../wire/schema.ts'

const slots = boundedRecord(hash, BOUNDS.slots).transform((record, context) => {
  const map = new Map<string, Uint8Array>()
  for (const [slot, value] of Object.entries(record)) {
    const key = tryFromHex(slot)
    if (key?.length === 32) map.set(toHexDigits(key), value)
    else
      context.addIssue({ code: 'custom', message: 'a slot is not 32 bytes of hex', path: [slot] })
  }
  return map
})

const accountOverride = z.object({
  balance: quantity.nullish(),
  nonce: quantity.nullish(),
  code: data.nullish(),
  /** Replaces all slots of the account. */
  state: slots.nullish(),
  /** Replaces these slots; the others stay. */
  stateDiff: slots.nullish(),
  movePrecompileToAddress: address.nullish(),
})

const givenStateOverrides = boundedRecord(accountOverride, BOUNDS.list)
  .nullish()
  .transform((record, context) => {
    const accounts = new Map<string, z.output<typeof accountOverride>>()
    for (const [key, override] of Object.entries(record ?? {})) {
      const account = tryFromHex(key)
      if (account?.length === 20) accounts.set(toHexDigits(account), override)
      else context.addIssue({ code: 'custom', message: 'not an address', path: [key] })
    }
    return accounts
  })
  .meta({
    description:
      'state overrides by address: balance, nonce, code, state, stateDiff, movePrecompileToAddress',
  })

export type StateOverrides = z.output<typeof givenStateOverrides>

/** Accounts by 40 hex digits. Nearly every call has none. */
export const stateOverrides = accepting(givenStateOverrides, (value): StateOverrides | undefined =>
  value === undefined ? new Map() : undefined,
)

const givenBlockOverrides = z
  .object({
    number: quantity.nullish(),
    time: quantity.nullish(),
    gasLimit: quantity.nullish(),
    feeRecipient: address.nullish(),
    coinbase: address.nullish(),
    prevRandao: hash.nullish(),
    random: hash.nullish(),
    baseFeePerGas: quantity.nullish(),
    baseFee: quantity.nullish(),
    blobBaseFee: quantity.nullish(),
    beaconRoot: hash.nullish(),
    withdrawals: list(z.object({}), BOUNDS.list).nullish(),
  })
  .nullish()
  .transform((overrides) => overrides ?? {})
  .meta({
    description: 'block overrides: number, time, gasLimit, feeRecipient, prevRandao, baseFeePerGas',
  })

export type BlockOverrides = z.output<typeof givenBlockOverrides>

/** Fields of the block that differ from the real ones. */
export const blockOverrides = accepting(givenBlockOverrides, (value): BlockOverrides | undefined =>
  value === undefined ? {} : undefined,
)

function effectOf(
  key: string,
  override: z.output<typeof accountOverride>,
  state: StateView,
): AccountEffect {
  const { balance, nonce, code, state: all, stateDiff } = override
  if (all && stateDiff)
    throw new RpcError('server', `account 0x${key} has both 'state' and 'stateDiff'`)
  const account = fromHex(key)
  const present = state.account(account)
  return {
    address: account,
    account: {
      balance: balance ?? present?.balance ?? 0n,
      nonce: nonce ?? present?.nonce ?? 0n,
      codeHash: code ? keccak256(code) : (present?.codeHash ?? EMPTY_CODE_HASH),
    },
    ...(code && { code }),
    storageCleared: all != null,
    storage: all ?? stateDiff ?? new Map<string, Uint8Array>(),
  }
}

/** The effects of overrides on a state. Throws RpcError for contradictions. */
export function overrideEffects(overrides: StateOverrides, state: StateView): Effects {
  return new Map([...overrides].map(([key, override]) => [key, effectOf(key, override, state)]))
}

/**
 * Addresses of the precompiles under state overrides: one that is overridden disappears from its own address, as in
 * go-ethereum, and may be moved to another one. Throws RpcError for an address that has no precompile, and for a target
 * that is overridden too.
 */
function precompilesUnder(
  overrides: StateOverrides,
  block: BlockEnvironment,
): ReadonlyMap<string, number> | undefined {
  const places = new Map<string, number>()
  for (const [key, { movePrecompileToAddress: target }] of overrides) {
    const account = fromHex(key)
    if (isPrecompile(account, block)) places.set(key, places.get(key) ?? 0)
    else if (target)
      throw new RpcError('server', `account ${toChecksumAddress(account)} is not a precompile`)
    if (!target) continue
    if (overrides.has(toHexDigits(target)))
      throw new RpcError('server', `account ${toChecksumAddress(target)} is already overridden`)
    places.set(toHexDigits(target), Number(bytesToBigint(account)))
  }
  return places.size === 0 ? undefined : places
}

/** This chain has no beacon chain beside it. Throws RpcError in go-ethereum's words, which says them of calls. */
function refuseUnsupported(overrides: BlockOverrides): void {
  for (const name of ['beaconRoot', 'withdrawals'] as const)
    if (overrides[name] != null)
      throw new RpcError('server', `block override "${name}" is not supported for this RPC method`)
}

/** The environment under overrides. A call without a price pays no base fee, not even one that an override names. */
export function overrideBlock(
  block: BlockEnvironment,
  overrides: BlockOverrides,
  state?: StateOverrides,
  isFree = false,
): BlockEnvironment {
  refuseUnsupported(overrides)
  const precompiles = state && precompilesUnder(state, block)
  const { number, time, gasLimit, feeRecipient, coinbase, prevRandao, random } = overrides
  return {
    ...block,
    ...(precompiles && { precompiles }),
    height: number == null ? block.height : Number(number),
    timestamp: time ?? block.timestamp,
    gasLimit: gasLimit ?? block.gasLimit,
    coinbase: feeRecipient ?? coinbase ?? block.coinbase,
    prevRandao: prevRandao ?? random ?? block.prevRandao,
    baseFeePerGas: isFree
      ? 0n
      : (overrides.baseFeePerGas ?? overrides.baseFee ?? block.baseFeePerGas),
    blobBaseFee: overrides.blobBaseFee ?? block.blobBaseFee,
  }
}
