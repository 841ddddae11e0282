/** The application's part of genesis.json: fee and gas values, accounts, and the stake of the first validators. */
import { z } from 'zod'
import { equalBytes, padLeft } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import { fromHex, toHexDigits, tryFromHex } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { emptyState } from '../evm/emptyState.ts'
import { overlay } from '../evm/overlay.ts'
import { Staking } from '../generated/contracts.ts'
import { CHAIN_HARDFORKS, GENESIS_HARDFORK, includesFork } from '../evm/rules.ts'
import { EMPTY_CODE_HASH, type AccountEffect, type Effects } from '../evm/types.ts'
import { parseChainId } from './chainId.ts'
import type { ChainRules, PlannedUpgrade } from './executed.ts'
import { STAKING_ADDRESS } from './predeploys.ts'
import { rewardSlot } from './rewards.ts'
import {
  genesisSet,
  genesisStake,
  MAX_ABSENCE_SLASH,
  stakingSchema,
  stakingStorage,
} from './staking/genesis.ts'
import { readSet, writeSet, type ValidatorPower } from './staking/validatorSet.ts'

/** The initial state of a chain. */
export type GenesisState = {
  /** Name part of the chain id (D3). */
  readonly chainName: string
  readonly rules: ChainRules
  /** Every account of the genesis block. */
  readonly alloc: Effects
  /** Undefined in homes from before staking. */
  readonly staking:
    | { readonly set: readonly ValidatorPower[]; readonly unbondingSeconds: number }
    | undefined
}

const amount = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'expected a decimal integer in quotes')
  .transform(BigInt)

function hexOf(size: number | undefined, expected: string) {
  return z.string().transform((text, context) => {
    const bytes = tryFromHex(text)
    if (bytes !== undefined && (size === undefined || bytes.length === size)) return bytes
    context.addIssue({ code: 'custom', message: `expected ${expected}` })
    return z.NEVER
  })
}

const address = hexOf(20, 'an address: 0x and 40 hex digits')
const slot = hexOf(32, 'a slot: 0x and 64 hex digits')
const word = hexOf(32, 'a word: 0x and 64 hex digits')

const account = z.strictObject({
  balance: amount.default(0n),
  nonce: amount.default(0n),
  code: hexOf(undefined, 'bytes: 0x and hex digits').optional(),
  storage: z.record(z.string(), word).default({}),
})

/** Changes at a height: the fork, and the code of system contracts, which need not exist before. */
const upgrade = z.strictObject({
  height: z.int().min(1),
  hardfork: z.enum(CHAIN_HARDFORKS).optional(),
  code: z.record(z.string(), hexOf(undefined, 'bytes: 0x and hex digits')).default({}),
})

const appState = z.strictObject({
  evm: z.strictObject({
    block_gas_limit: amount.refine((limit) => limit >= 21_000n, 'expected at least 21000'),
    initial_base_fee: amount,
    min_base_fee: amount,
    /** Whether this is a development chain (D56). */
    development: z.boolean().default(false),
    /** The fork from genesis on; the newest by default (D19). */
    hardfork: z.enum(CHAIN_HARDFORKS).optional(),
    upgrades: z.array(upgrade).default([]),
    alloc: z.record(z.string(), account).default({}),
    staking: stakingSchema.optional(),
    /** In homes from before staking: reward address by consensus address, both 0x and 40 hex digits. */
    validators: z.record(z.string(), address).default({}),
  }),
})

function invalid(path: readonly PropertyKey[], message: string): UserError {
  const key = ['app_state', ...path].join('.')
  return new UserError(
    `genesis.json: ${key}: ${message}`,
    'Correct the key, or create a new home folder.',
  )
}

/** A record's key as bytes. */
function keyBytes(schema: typeof address, key: string, path: readonly PropertyKey[]): Uint8Array {
  const result = schema.safeParse(key)
  if (result.success) return result.data
  throw invalid([...path, key], result.error.issues[0]?.message ?? 'invalid key')
}

function accountEffect(key: string, value: z.output<typeof account>): AccountEffect {
  const path = ['evm', 'alloc']
  const entries = Object.entries(value.storage).map(
    ([at, content]) =>
      [toHexDigits(keyBytes(slot, at, [...path, key, 'storage'])), content] as const,
  )
  const code = value.code?.length === 0 ? undefined : value.code
  return {
    address: keyBytes(address, key, path),
    account: {
      nonce: value.nonce,
      balance: value.balance,
      codeHash: code === undefined ? EMPTY_CODE_HASH : keccak256(code),
    },
    storageCleared: false,
    storage: new Map(entries),
    ...(code !== undefined && { code }),
  }
}

/** Adds to the `alloc` entry of the contract at the staking address. */
function fillContract(
  alloc: Map<string, AccountEffect>,
  key: 'validators' | 'staking',
  slots: ReadonlyMap<string, Uint8Array>,
  amount: bigint,
): void {
  const contract = alloc.get(toHexDigits(STAKING_ADDRESS))
  if (contract?.account === undefined || contract.code === undefined)
    throw invalid(['evm', key], 'the contract is not in alloc')
  alloc.set(toHexDigits(STAKING_ADDRESS), {
    ...contract,
    account: { ...contract.account, balance: contract.account.balance + amount },
    storage: new Map([...contract.storage, ...slots]),
  })
}

/** The validator set of the genesis state. */
function storedSet(alloc: Effects): readonly ValidatorPower[] {
  const state = overlay(emptyState)
  state.apply(alloc)
  const set = readSet(state)
  if (set.length > 0) return set
  throw invalid(['evm', 'staking', 'validators'], 'expected at least one validator')
}

function parseJson(text: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(text))
  } catch {
    throw invalid([], 'is not JSON')
  }
}

/** Upgrades of genesis, which must ascend: in height, and in fork from that of genesis on. */
function plannedUpgrades(evm: z.output<typeof appState>['evm']): readonly PlannedUpgrade[] {
  let height = 0
  let hardfork = evm.hardfork ?? GENESIS_HARDFORK
  return evm.upgrades.map((planned, index) => {
    const path = ['evm', 'upgrades', index]
    if (planned.height <= height) throw invalid([...path, 'height'], 'expected ascending heights')
    const next = planned.hardfork
    if (next !== undefined && includesFork({ hardfork }, next))
      throw invalid([...path, 'hardfork'], 'expected a fork newer than the ones before')
    height = planned.height
    hardfork = next ?? hardfork
    const code = Object.entries(planned.code).map(
      ([key, bytes]) => [toHexDigits(keyBytes(address, key, [...path, 'code'])), bytes] as const,
    )
    return { height, ...(next !== undefined && { hardfork: next }), code: new Map(code) }
  })
}

/** Whether the staking contract is that of this version: chains with an older one keep what they began with (D84). */
function hasThisContract(alloc: ReadonlyMap<string, AccountEffect>): boolean {
  const code = alloc.get(toHexDigits(STAKING_ADDRESS))?.code
  return code !== undefined && equalBytes(code, fromHex(Staking.deployedBytecode))
}

/** Reads `app_state` (UTF-8 JSON) of the chain with this id. Throws UserError that names the key. */
export function parseGenesis(chainId: string, text: Uint8Array): GenesisState {
  const { name, eip155 } = parseChainId(chainId)
  const result = appState.safeParse(parseJson(text))
  if (!result.success) {
    const issue = result.error.issues[0]
    throw invalid(issue?.path ?? [], issue?.message ?? 'invalid')
  }
  const { evm } = result.data
  const alloc = new Map<string, AccountEffect>()
  for (const [key, value] of Object.entries(evm.alloc)) {
    const effect = accountEffect(key, value)
    alloc.set(toHexDigits(effect.address), effect)
  }
  const { staking, hardfork } = evm
  const upgrades = plannedUpgrades(evm)
  const rewards = Object.entries(evm.validators).map(
    ([key, reward]) =>
      [
        toHexDigits(rewardSlot(keyBytes(address, key, ['evm', 'validators']))),
        padLeft(reward, 32),
      ] as const,
  )
  if (rewards.length > 0) fillContract(alloc, 'validators', new Map(rewards), 0n)
  if (staking !== undefined && staking.absence_slash > MAX_ABSENCE_SLASH && hasThisContract(alloc))
    throw invalid(['evm', 'staking', 'absence_slash'], `expected at most ${MAX_ABSENCE_SLASH}`)
  if (staking !== undefined && staking.validators.length > 0) {
    fillContract(alloc, 'staking', stakingStorage(staking), genesisStake(staking))
    for (const [key, effect] of writeSet(genesisSet(staking), 0)) alloc.set(key, effect)
  }
  return {
    chainName: name,
    rules: {
      chainId: eip155,
      blockGasLimit: evm.block_gas_limit,
      initialBaseFee: evm.initial_base_fee,
      minBaseFee: evm.min_base_fee,
      ...(staking !== undefined && {
        staking: {
          maxValidators: staking.max_validators,
          inflationPerSecond: staking.inflation_per_second,
        },
      }),
      ...(hardfork !== undefined && { hardfork }),
      ...(upgrades.length > 0 && { upgrades }),
      ...(evm.development && { isDevelopment: true }),
    },
    alloc,
    staking: staking && { set: storedSet(alloc), unbondingSeconds: staking.unbonding_time },
  }
}
