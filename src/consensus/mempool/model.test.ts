import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createPoolRig,
  GWEI,
  senderAddress,
  signedTransfer,
} from '../../../test/support/poolRig.ts'
import { toHexDigits } from '../../base/hex.ts'
import type { Transaction } from '../../chain/transaction.ts'

/** A pool that recomputes everything from a list on each access. */
function createModel() {
  const accounts = new Map<number, { nonce: number; balance: bigint }>()
  let held: { sender: number; nonce: number; gwei: bigint }[] = []
  const accountOf = (sender: number) => accounts.get(sender) ?? { nonce: 0, balance: UNITS(20n) }
  const costOf = (gwei: bigint) => UNITS(gwei)
  const groups = (sender: number) => {
    const own = held.filter((entry) => entry.sender === sender).sort((a, b) => a.nonce - b.nonce)
    const { nonce, balance } = accountOf(sender)
    const pending: typeof own = []
    let left = balance
    for (const entry of own) {
      left -= costOf(entry.gwei)
      if (entry.nonce !== nonce + pending.length || left < 0n) break
      pending.push(entry)
    }
    return { pending, queued: own.slice(pending.length) }
  }
  return {
    groups,
    add(sender: number, nonce: number, gwei: bigint): boolean {
      const account = accountOf(sender)
      const { pending } = groups(sender)
      const old = held.find((entry) => entry.sender === sender && entry.nonce === nonce)
      const spent = pending.reduce(
        (sum, entry) => sum + (entry === old ? 0n : costOf(entry.gwei)),
        0n,
      )
      if (nonce < account.nonce || spent + costOf(gwei) > account.balance) return false
      if (old !== undefined && gwei * 10n < old.gwei * 11n) return false
      held = [...held.filter((entry) => entry !== old), { sender, nonce, gwei }]
      return true
    },
    set(sender: number, nonce: number, balance: bigint): void {
      accounts.set(sender, { nonce, balance })
      held = held.filter(
        (entry) =>
          entry.sender !== sender || (entry.nonce >= nonce && costOf(entry.gwei) <= balance),
      )
    },
    accountOf,
  }
}

const UNITS = (gwei: bigint) => 21_000n * gwei * GWEI

const SENDER = fc.integer({ min: 0, max: 2 })
const ACTION = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      sender: SENDER,
      nonce: fc.nat(6),
      gwei: fc.bigInt(1n, 8n),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('mine' as const), sender: SENDER, count: fc.nat(3) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fund' as const),
      sender: SENDER,
      gwei: fc.bigInt(0n, 40n),
    }),
  },
)

test('the pool holds what a naive model holds, in the same groups', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ACTION, { maxLength: 40 }), async (actions) => {
      const model = createModel()
      const rig = createPoolRig()
      for (const sender of [0, 1, 2]) rig.setSilently(sender, { balance: UNITS(20n) })
      for (const action of actions) {
        const { sender } = action
        if (action.kind === 'add') {
          const fee = action.gwei * GWEI
          const { raw } = signedTransfer(sender, action.nonce, {
            maxFeePerGas: fee,
            maxPriorityFeePerGas: fee,
          })
          const isTaken = await rig.pool.add(raw).then(
            () => true,
            () => false,
          )
          expect(isTaken).toBe(model.add(sender, action.nonce, action.gwei))
        } else {
          const before = model.accountOf(sender)
          const mined =
            action.kind === 'mine' ? Math.min(action.count, model.groups(sender).pending.length) : 0
          const balance = action.kind === 'fund' ? UNITS(action.gwei) : before.balance
          model.set(sender, before.nonce + mined, balance)
          rig.set(sender, { nonce: BigInt(before.nonce + mined), balance })
        }
        const keys = (entries: readonly Transaction[] | undefined) =>
          (entries ?? []).map(({ nonce, maxFeePerGas }) => [Number(nonce), maxFeePerGas / GWEI])
        const expected = (entries: readonly { nonce: number; gwei: bigint }[]) =>
          entries.map(({ nonce, gwei }) => [nonce, gwei])
        const { pending, queued } = model.groups(sender)
        const key = toHexDigits(senderAddress(sender))
        expect(keys(rig.pool.pending().get(key))).toEqual(expected(pending))
        expect(keys(rig.pool.queued().get(key))).toEqual(expected(queued))
        const counts = rig.pool.counts()
        const sizes = [0, 1, 2].map((each) => model.groups(each))
        expect(counts.pending).toBe(sizes.reduce((sum, each) => sum + each.pending.length, 0))
        expect(counts.queued).toBe(sizes.reduce((sum, each) => sum + each.queued.length, 0))
      }
    }),
    { numRuns: 60 },
  )
})
