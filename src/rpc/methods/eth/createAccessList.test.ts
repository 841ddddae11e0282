import { expect, test } from 'vitest'
import { ALICE, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { CALLEE, createTracedNode, REVERTER } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'

const call = { from: toHex(ALICE), to: toHex(CONTRACT) }
const slot = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`

test('eth_createAccessList lists what is touched beyond sender, target and precompiles', async () => {
  const answer = (await createTracedNode().request('eth_createAccessList', call)) as {
    accessList: { address: string; storageKeys: string[] }[]
    gasUsed: string
  }
  expect(answer.accessList).toHaveLength(3)
  expect(answer.accessList).toEqual(
    expect.arrayContaining([
      { address: toHex(CALLEE), storageKeys: [slot(1)] },
      { address: toHex(REVERTER), storageKeys: [] },
      { address: toHex(CONTRACT), storageKeys: [slot(9)] },
    ]),
  )
  expect(answer).not.toHaveProperty('error')
})

test('the gas is that of the message with the list, which debug_traceCall confirms', async () => {
  const node = createTracedNode()
  const { accessList, gasUsed } = (await node.request('eth_createAccessList', call)) as {
    accessList: object[]
    gasUsed: string
  }
  const config = { tracer: 'callTracer' }
  expect(
    await node.request('debug_traceCall', { ...call, accessList }, 'latest', config),
  ).toMatchObject({ gasUsed })
})

test('a message that fails has a list too, and says so', async () => {
  expect(
    await createTracedNode().request('eth_createAccessList', { ...call, to: toHex(REVERTER) }),
  ).toMatchObject({ accessList: [], error: 'execution reverted' })
})
