import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

// Holds D1.
test('web3_clientVersion names program, version, platform and toolchain', async () => {
  const version = await createTestNode().request('web3_clientVersion')
  expect(version).toMatch(/^Assay\/v\d+\.\d+\.\d+\/[^/]+-[^/]+\/node\d+/)
})
