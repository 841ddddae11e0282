import { expect, test } from 'vitest'
import { nodeKeys } from './node.ts'

// Holds D62.
test('a call may use as much gas as with go-ethereum', () => {
  expect(nodeKeys['json-rpc.gas-cap'].default).toBe(50_000_000)
})
