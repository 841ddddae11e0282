import { expect, onTestFinished, test, vi } from 'vitest'
import { developmentKeys } from '../accounts/development.ts'
import { toHex } from '../base/hex.ts'
import { signTransaction } from '../chain/signTransaction.ts'
import { startTestChain } from '../../test/support/chainNode.ts'

// Holds D21a.
test('a dry run leaves the pool as it is: the transaction is mined when it is sent, not before', async () => {
  const chain = await startTestChain()
  onTestFinished(chain.stop)
  const { raw, hash } = signTransaction(
    {
      type: 2,
      chainId: 271_828n,
      nonce: 0n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 9n,
      gasLimit: 21_000n,
      to: new Uint8Array(20).fill(1),
      value: 1n,
      data: new Uint8Array(0),
      accessList: [],
      authorizationList: [],
    },
    developmentKeys()[0] as Uint8Array,
  )
  const ask = async (path: string) =>
    ((await (await fetch(`${chain.comet}/${path}`)).json()) as { result: unknown }).result
  const rpc = async (method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(chain.rpc, { method: 'POST', headers, body })
    return ((await answer.json()) as { result: unknown }).result
  }
  const height = async () => Number(await rpc('eth_blockNumber'))

  const start = await height()
  expect(await ask(`check_tx?tx=${toHex(raw)}`)).toMatchObject({ code: 0, gas_wanted: '21000' })
  expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  await vi.waitUntil(async () => (await height()) >= start + 5, 60_000)
  expect(await rpc('eth_getTransactionByHash', toHex(hash))).toBeNull()
  // Neither does it stand in the way.
  expect(await ask(`broadcast_tx_sync?tx=${toHex(raw)}`)).toMatchObject({ code: 0 })
  await vi.waitUntil(async () => await rpc('eth_getTransactionReceipt', toHex(hash)), 60_000)
  expect(await ask(`check_tx?tx=${toHex(raw)}`)).toMatchObject({ code: 2 })
})
