import { expect, test } from 'vitest'
import {
  authorizationOf,
  createPoolRig,
  DELEGATION_HASH,
  GWEI,
  POOL_CHAIN_ID,
  signedTransfer,
} from '../../../test/support/poolRig.ts'
import type { Authorization } from '../../evm/transactable.ts'

const delegating = (sender: number, nonce: number, ...authorizationList: Authorization[]) =>
  signedTransfer(sender, nonce, { type: 4, authorizationList, gasLimit: 1_000_000n })

const IN_FLIGHT = 'in-flight transaction limit reached for delegated accounts'

// Holds D80.
test('600 transactions of a delegated account: the pool has one, which can be replaced', async () => {
  const { pool, set } = createPoolRig()
  set(0, { codeHash: DELEGATION_HASH })
  const dear = { gasLimit: 15_000_000n }
  await expect(pool.add(signedTransfer(0, 1, dear).raw)).rejects.toThrow(
    'gapped-nonce tx from delegated accounts',
  )
  await pool.add(signedTransfer(0, 0, dear).raw)
  for (let nonce = 1; nonce < 600; nonce++)
    await expect(pool.add(signedTransfer(0, nonce, dear).raw)).rejects.toThrow(IN_FLIGHT)
  await pool.add(
    signedTransfer(0, 0, { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: 3n * GWEI }).raw,
  )
  expect(pool.counts()).toEqual({ pending: 1, queued: 0 })
  set(0, { nonce: 1n })
  await pool.add(signedTransfer(0, 1).raw)
})

// Holds D80.
test('an account has one transaction in flight while a pooled transaction delegates it', async () => {
  const { pool, set } = createPoolRig()
  const delegation = delegating(0, 0, authorizationOf(1))
  await pool.add(delegation.raw)
  await pool.add(signedTransfer(1, 0).raw)
  await expect(pool.add(signedTransfer(1, 1).raw)).rejects.toThrow(IN_FLIGHT)
  // Its replacement delegates somebody else.
  const bumped = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: 3n * GWEI }
  await pool.add(
    signedTransfer(0, 0, {
      type: 4,
      authorizationList: [authorizationOf(2)],
      gasLimit: 100_000n,
      ...bumped,
    }).raw,
  )
  await pool.add(signedTransfer(1, 1).raw)
  await pool.add(signedTransfer(2, 0).raw)
  await expect(pool.add(signedTransfer(2, 1).raw)).rejects.toThrow(IN_FLIGHT)
  set(0, { nonce: 1n })
  await pool.add(signedTransfer(2, 1).raw)
})

// Holds D80.
test('nobody delegates an account that has several transactions in the pool', async () => {
  const { pool } = createPoolRig()
  await pool.add(signedTransfer(1, 0).raw)
  await pool.add(delegating(0, 0, authorizationOf(1)).raw)
  await pool.add(signedTransfer(2, 0).raw)
  await pool.add(signedTransfer(2, 5).raw)
  await expect(pool.add(delegating(3, 0, authorizationOf(2)).raw)).rejects.toThrow(
    'authority already reserved',
  )
})

test('an authorization that cannot take effect reserves nobody', async () => {
  const { pool, setSilently } = createPoolRig()
  setSilently(1, { nonce: 7n })
  const copied = [
    authorizationOf(1, { chainId: 1n }),
    authorizationOf(1, { nonce: 6n }),
    { ...authorizationOf(1, { nonce: 7n }), s: 0n },
  ]
  await pool.add(delegating(0, 0, ...copied).raw)
  await pool.add(signedTransfer(1, 7).raw)
  await pool.add(signedTransfer(1, 8).raw)
  await pool.add(delegating(0, 1, authorizationOf(2, { chainId: 0n })).raw)
  await pool.add(signedTransfer(2, 0, { chainId: POOL_CHAIN_ID }).raw)
  await expect(pool.add(signedTransfer(2, 1).raw)).rejects.toThrow(IN_FLIGHT)
})
