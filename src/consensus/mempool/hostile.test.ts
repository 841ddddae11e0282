/** Whatever senders do, with delegations, dry runs and drained balances: what the pool promises about its contents holds. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  authorizationOf,
  createPoolRig,
  DELEGATION_HASH,
  GWEI,
  senderAddress,
  signedTransfer,
} from '../../../test/support/poolRig.ts'
import { toHexDigits } from '../../base/hex.ts'
import { maxCost } from '../../evm/validity.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'
import { PoolRejection } from '../pool.ts'

const SENDERS = 4
const MIN_GAS_PRICE = 2n * GWEI
const SIZE = 12
const UNIT = 21_000n * GWEI

const sender = fc.nat(SENDERS - 1)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('add', 'add', 'hold', 'check'),
      sender,
      nonce: fc.nat(4),
      cap: fc.bigInt(2n, 9n),
      tip: fc.bigInt(0n, 2n),
      authority: fc.option(sender, { freq: 4 }),
    }),
  },
  fc.record({ kind: fc.constant('drain'), sender, units: fc.bigInt(0n, 200n) }),
  fc.record({ kind: fc.constant('mine'), sender }),
  fc.record({ kind: fc.constant('delegate'), sender }),
  fc.record({ kind: fc.constant('base'), gwei: fc.bigInt(1n, 5n) }),
)

test('no sequence of transactions gets around the rules of the pool', async () => {
  let tried = 0
  let refused = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const rig = createPoolRig({ minGasPrice: MIN_GAS_PRICE, size: SIZE, guaranteedPending: 0 })
      const { pool } = rig
      const accounts = Array.from({ length: SENDERS }, () => ({ nonce: 0, balance: 200n * UNIT }))
      const accountAt = (index: number) => accounts[index] ?? { nonce: 0, balance: 0n }
      const update = (index: number) => {
        const { nonce, balance } = accountAt(index)
        rig.set(index, { nonce: BigInt(nonce), balance })
      }
      accounts.forEach((_, index) => update(index))
      const delegated = new Set<number>()
      const content = () =>
        [pool.pending(), pool.queued()].flatMap((group) => [...group.values()].flat())

      for (const action of steps) {
        if ('cap' in action) {
          const { authority } = action
          const { raw } = signedTransfer(
            action.sender,
            accountAt(action.sender).nonce + action.nonce,
            {
              maxFeePerGas: action.cap * GWEI,
              maxPriorityFeePerGas: action.tip * GWEI,
              ...(authority !== null && {
                type: 4,
                gasLimit: 60_000n,
                authorizationList: [
                  authorizationOf(authority, { nonce: BigInt(accountAt(authority).nonce) }),
                ],
              }),
            },
          )
          const before = new Set(content().map(({ hash }) => toHexDigits(hash)))
          const taken = [...before].filter((hash) => !pool.isHeld(Buffer.from(hash, 'hex')))
          tried++
          await pool[action.kind](raw).catch((error: unknown) => {
            expect(error).toBeInstanceOf(PoolRejection)
            refused++
          })
          const after = new Set(content().map(({ hash }) => toHexDigits(hash)))
          // A dry run changes nothing; what is held back displaces nothing that was sent.
          if (action.kind === 'check') expect(after).toEqual(before)
          if (action.kind === 'hold') for (const hash of taken) expect(after).toContain(hash)
        } else if (action.kind === 'drain') {
          accountAt(action.sender).balance = action.units * UNIT
          update(action.sender)
        } else if (action.kind === 'mine') {
          accountAt(action.sender).nonce++
          update(action.sender)
        } else if (action.kind === 'delegate') {
          const { sender: index } = action
          // Only while the pool has nothing of the account: what it has may stay.
          if (
            content().some(
              ({ sender: from }) => toHexDigits(from) === toHexDigits(senderAddress(index)),
            )
          )
            continue
          const isOver = delegated.delete(index)
          if (!isOver) delegated.add(index)
          rig.set(index, { codeHash: isOver ? EMPTY_CODE_HASH : DELEGATION_HASH })
        } else rig.baseFee = action.gwei * GWEI

        expect(content().length).toBeLessThanOrEqual(SIZE)
        for (let index = 0; index < SENDERS; index++) {
          const key = toHexDigits(senderAddress(index))
          const own = pool.pending().get(key) ?? []
          const cost = own.reduce((sum, each) => sum + maxCost(each), 0n)
          expect(cost).toBeLessThanOrEqual(accountAt(index).balance)
          if (delegated.has(index)) expect(own.length).toBeLessThanOrEqual(1)
        }
        const selected = pool.select(rig.baseFee, 1_000_000)
        for (const transaction of content()) {
          if (!selected.includes(transaction.raw)) continue
          const { maxFeePerGas, maxPriorityFeePerGas, hash } = transaction
          const paid = rig.baseFee + maxPriorityFeePerGas
          expect(paid < maxFeePerGas ? paid : maxFeePerGas).toBeGreaterThanOrEqual(MIN_GAS_PRICE)
          expect(pool.isHeld(hash)).toBe(false)
        }
      }
    }),
    { numRuns: 150 },
  )
  process.stdout.write(`hostile senders: ${tried} transactions, ${refused} refused\n`)
})
