/** What holds for every method that signs typed data (EIP-712). */
import { verifyTypedData } from 'viem'
import { expect } from 'vitest'
import { toHex } from '../../src/base/hex.ts'
import { ALICE, createTestNode } from './rpcNode.ts'

const data = {
  types: { Greeting: [{ name: 'text', type: 'string' }] },
  primaryType: 'Greeting',
  domain: { name: 'Test', chainId: 271_828 },
  message: { text: 'hello' },
} as const

/** Fails unless libraries recover the signer, of an object as of its text. */
export async function expectSigned(method: string): Promise<void> {
  const node = createTestNode()
  const address = toHex(ALICE)
  for (const given of [data, JSON.stringify(data)]) {
    const signature = String(await node.request(method, address, given)) as `0x${string}`
    expect(await verifyTypedData({ ...data, address, signature })).toBe(true)
  }
}

/** Values that are not typed data, each with its error code. */
export const NO_TYPED_DATA = [
  ['{', -32602],
  [{}, -32602],
  [{ ...data, primaryType: 'Other' }, -32000],
] as const

export async function expectRefused(method: string, given: unknown, code: number): Promise<void> {
  await expect(createTestNode().request(method, toHex(ALICE), given)).rejects.toMatchObject({
    code,
  })
}
