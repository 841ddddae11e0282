/** prestateTracer: the accounts and slots that a transaction touched, as they were before it, or as a diff. */
import { equalBytes } from '../../base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../base/hex.ts'
import { toQuantity } from '../../base/quantity.ts'
import { contractAddress } from '../contractAddress.ts'
import { authorityOf, delegationTarget } from '../delegation.ts'
import { overlay } from '../overlay.ts'
import { EMPTY_CODE_HASH, type StateView } from '../types.ts'
import { watchTouches } from './touched.ts'
import type { TracedRun, TracerKind } from './tracer.ts'

export type PrestateTracerConfig = {
  /** Report changes, as {pre, post}. */
  readonly diffMode?: boolean | undefined
  readonly disableCode?: boolean | undefined
  readonly disableStorage?: boolean | undefined
  /** Keep accounts that did not exist. */
  readonly includeEmpty?: boolean | undefined
}

/** An account at one point: slots are keyed by 64 hex digits. */
type Snapshot = {
  readonly balance: bigint
  readonly nonce: bigint
  readonly codeHash: Uint8Array
  readonly code: Uint8Array
  readonly storage: ReadonlyMap<string, Uint8Array>
}

type Touched = ReadonlyMap<string, ReadonlySet<string>>

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0)
}

function snapshot(state: StateView, key: string, slots: ReadonlySet<string>): Snapshot {
  const address = fromHex(key)
  const account = state.account(address)
  const codeHash = account?.codeHash ?? EMPTY_CODE_HASH
  return {
    balance: account?.balance ?? 0n,
    nonce: account?.nonce ?? 0n,
    codeHash,
    code: state.code(codeHash),
    storage: new Map([...slots].map((slot) => [slot, state.storage(address, fromHex(slot))])),
  }
}

function hasCode({ codeHash }: Snapshot): boolean {
  return !equalBytes(codeHash, EMPTY_CODE_HASH)
}

/** Written by go-ethereum for an account that has lost its delegation. */
const NO_CODE_HASH = `0x${'00'.repeat(32)}`

function encodeStorage(storage: ReadonlyMap<string, Uint8Array>): object {
  if (storage.size === 0) return {}
  const entries = [...storage].map(([slot, value]) => [`0x${slot}`, toHex(value)])
  return { storage: Object.fromEntries(entries) }
}

function encodeBefore(account: Snapshot, config: PrestateTracerConfig): object {
  const { balance, nonce, code, codeHash, storage } = account
  return {
    balance: toQuantity(balance),
    ...(nonce > 0n && { nonce: Number(nonce) }),
    ...(hasCode(account) && {
      codeHash: toHex(codeHash),
      ...(config.disableCode !== true && { code: toHex(code) }),
    }),
    ...encodeStorage(storage),
  }
}

function encodeAfter(before: Snapshot, after: Snapshot, config: PrestateTracerConfig): object {
  const changed = [...after.storage].filter(
    ([slot, value]) => !isZero(value) && !equalBytes(value, before.storage.get(slot) ?? value),
  )
  const hasNewCode = !equalBytes(before.codeHash, after.codeHash)
  return {
    ...(before.balance !== after.balance && { balance: toQuantity(after.balance) }),
    ...(before.nonce !== after.nonce && after.nonce > 0n && { nonce: Number(after.nonce) }),
    ...(hasNewCode && {
      codeHash: hasCode(after) ? toHex(after.codeHash) : NO_CODE_HASH,
      ...(config.disableCode !== true && after.code.length > 0 && { code: toHex(after.code) }),
    }),
    ...encodeStorage(new Map(changed)),
  }
}

function isModified(before: Snapshot, after: Snapshot): boolean {
  return (
    before.balance !== after.balance ||
    before.nonce !== after.nonce ||
    !equalBytes(before.codeHash, after.codeHash) ||
    [...after.storage].some(
      ([slot, value]) => !equalBytes(value, before.storage.get(slot) ?? value),
    )
  )
}

/** Slots that changed and were set before. */
function changedSlots(before: Snapshot, after: Snapshot): Snapshot {
  const storage = [...before.storage].filter(
    ([slot, value]) => !isZero(value) && !equalBytes(value, after.storage.get(slot) ?? value),
  )
  return { ...before, storage: new Map(storage) }
}

function isEmpty({ balance, nonce, codeHash }: Snapshot): boolean {
  return balance === 0n && nonce === 0n && equalBytes(codeHash, EMPTY_CODE_HASH)
}

function differences(
  touched: Touched,
  state: StateView,
  after: StateView,
  config: PrestateTracerConfig,
): object {
  const pre: Record<string, object> = {}
  const post: Record<string, object> = {}
  for (const [key, slots] of touched) {
    const before = snapshot(state, key, slots)
    const isGone = !isEmpty(before) && after.account(fromHex(key)) === undefined
    const then = snapshot(after, key, slots)
    if (!isGone && !isModified(before, then)) continue
    if (config.includeEmpty === true || !isEmpty(before))
      pre[`0x${key}`] = encodeBefore(isGone ? before : changedSlots(before, then), config)
    if (!isGone) post[`0x${key}`] = encodeAfter(before, then, config)
  }
  return { pre, post }
}

function states(touched: Touched, state: StateView, config: PrestateTracerConfig): object {
  const accounts: Record<string, object> = {}
  for (const [key, slots] of touched) {
    const account = snapshot(state, key, slots)
    if (config.includeEmpty === true || !isEmpty(account))
      accounts[`0x${key}`] = encodeBefore(account, config)
  }
  return accounts
}

/** Accounts that count as touched before the first opcode. */
function* involved(
  { transaction, block, state }: TracedRun,
  top: Uint8Array,
): Generator<Uint8Array> {
  yield* [transaction.sender, top, block.coinbase]
  const target = transaction.to && state.account(transaction.to)
  const delegate = target && delegationTarget(state.code(target.codeHash))
  if (delegate) yield delegate
  for (const authorization of transaction.authorizationList) {
    const authority = authorityOf(authorization)
    if (authority) yield authority
  }
}

/** The tracer. */
export function prestateTracer(config: PrestateTracerConfig): TracerKind {
  return {
    watchesSteps: true,
    start(run) {
      const { transaction, state } = run
      const top = transaction.to ?? contractAddress(transaction.sender, transaction.nonce)
      const touched = new Map<string, Set<string>>()
      const slotsOf = (address: Uint8Array): Set<string> => {
        const key = toHexDigits(address)
        const slots = touched.get(key) ?? new Set<string>()
        touched.set(key, slots)
        return slots
      }
      for (const address of involved(run, top)) slotsOf(address)
      const { hooks, finish } = watchTouches(
        run,
        {
          account: (address) => void slotsOf(address),
          slot(address, slot) {
            const slots = slotsOf(address)
            if (config.disableStorage !== true) slots.add(toHexDigits(slot))
          },
        },
        top,
      )
      return {
        hooks,
        result(outcome) {
          finish(outcome)
          if (config.diffMode !== true) return states(touched, state, config)
          const after = overlay(state)
          after.apply(outcome.effects)
          return differences(touched, state, after, config)
        },
      }
    },
  }
}
