import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toHexDigits } from '../base/hex.ts'
import { keccak256 } from '../base/keccak.ts'
import { emptyState } from './emptyState.ts'
import { overlay } from './overlay.ts'
import { EMPTY_CODE_HASH, type AccountEffect, type Effects, type StateView } from './types.ts'

const ADDRESSES = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte))
const SLOTS = [4, 5].map((byte) => new Uint8Array(32).fill(byte))
const CODES = [Uint8Array.of(1), Uint8Array.of(2, 3)]

const accounts = fc.record({
  nonce: fc.bigInt({ min: 0n, max: 3n }),
  balance: fc.bigInt({ min: 0n, max: 3n }),
})
const effects: fc.Arbitrary<Effects> = fc
  .array(
    fc.record({
      address: fc.constantFrom(...ADDRESSES),
      account: fc.option(accounts, { nil: undefined }),
      code: fc.option(fc.constantFrom(...CODES), { nil: undefined }),
      storageCleared: fc.boolean(),
      storage: fc.array(fc.tuple(fc.constantFrom(...SLOTS), fc.integer({ min: 0, max: 2 })), {
        maxLength: 2,
      }),
    }),
    { maxLength: 3 },
  )
  .map((list) => {
    const map = new Map<string, AccountEffect>()
    for (const { address, account, code, storageCleared, storage } of list) {
      const codeHash = code === undefined ? EMPTY_CODE_HASH : keccak256(code)
      map.set(toHexDigits(address), {
        address,
        account: account && { ...account, codeHash },
        storageCleared,
        storage: new Map(
          storage.map(([slot, value]) => [toHexDigits(slot), new Uint8Array(32).fill(value)]),
        ),
        ...(code !== undefined && account !== undefined && { code }),
      })
    }
    return map
  })

/**
 * Everything that a view can be asked, except hasStorage: it may stay true after the last slot of a lower layer is
 * zeroed.
 */
function observe(view: StateView): unknown {
  return ADDRESSES.map((address) => {
    const account = view.account(address)
    return {
      account,
      code: account && view.code(account.codeHash),
      storage: SLOTS.map((slot) => view.storage(address, slot)),
    }
  })
}

test('changes laid over each other in one overlay read like overlays on overlays', () => {
  fc.assert(
    fc.property(fc.array(effects, { maxLength: 4 }), (steps) => {
      const flat = overlay(emptyState)
      let nested: StateView = emptyState
      for (const step of steps) {
        flat.apply(step)
        const next = overlay(nested)
        next.apply(step)
        nested = next
      }
      expect(observe(flat)).toEqual(observe(nested))
    }),
  )
})

test('the merged effects of an overlay do the same as the effects that went into it', () => {
  fc.assert(
    fc.property(effects, fc.array(effects, { maxLength: 4 }), (base, steps) => {
      const state = overlay(emptyState)
      state.apply(base)
      const above = overlay(state)
      for (const step of steps) above.apply(step)
      const replayed = overlay(state)
      replayed.apply(above.effects())
      expect(observe(replayed)).toEqual(observe(above))
    }),
  )
})

test('code that an account has lost is not given out under the hash of no code', () => {
  const [address = new Uint8Array(20)] = ADDRESSES
  const [code = Uint8Array.of()] = CODES
  const account = { nonce: 0n, balance: 0n }
  const inner = overlay(emptyState)
  inner.setAccount(address, { ...account, codeHash: keccak256(code) }, code)
  inner.setAccount(address, { ...account, codeHash: EMPTY_CODE_HASH })
  const outer = overlay(emptyState)
  outer.apply(inner.effects())
  expect(outer.code(EMPTY_CODE_HASH)).toHaveLength(0)
})

test('an account has storage when any layer set a slot and none cleared it since', () => {
  const [address = new Uint8Array(20)] = ADDRESSES
  const [slot = new Uint8Array(32)] = SLOTS
  const effect = (value: number, storageCleared: boolean): Effects =>
    new Map([
      [
        toHexDigits(address),
        {
          address,
          account: { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH },
          storageCleared,
          storage: new Map([[toHexDigits(slot), new Uint8Array(32).fill(value)]]),
        },
      ],
    ])
  const lower = overlay(emptyState)
  lower.apply(effect(1, false))
  const upper = overlay(lower)
  expect(upper.hasStorage(address)).toBe(true)
  upper.apply(effect(0, true))
  expect(upper.hasStorage(address)).toBe(false)
  upper.apply(effect(2, false))
  expect(upper.hasStorage(address)).toBe(true)
})

test('an overlay has the identity of the storage below it until a slot changes', () => {
  const identity = {}
  const world = overlay({ ...emptyState, storageIdentity: () => identity })
  const [address = new Uint8Array(20)] = ADDRESSES
  world.setAccount(address, { nonce: 1n, balance: 1n, codeHash: EMPTY_CODE_HASH })
  expect(world.storageIdentity?.()).toBe(identity)
  const storage = new Map([['00'.repeat(32), new Uint8Array(32)]])
  const effect = { address, account: undefined, storageCleared: false, storage }
  world.apply(new Map([[toHexDigits(address), effect]]))
  expect(world.storageIdentity?.()).toBeUndefined()
})
