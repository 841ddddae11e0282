import { expect, test } from 'vitest'
import { createTestNode } from '../../test/support/rpcNode.ts'
import { unboundedParts } from '../../test/support/unboundedParts.ts'
import { DEVELOPMENT_METHODS } from './methods/development/table.ts'
import { METHODS } from './table.ts'

const parameters = Object.entries({ ...METHODS, ...DEVELOPMENT_METHODS }).flatMap(
  ([name, { params }]) =>
    Object.entries(params).map(([parameter, schema]) => [`${name} ${parameter}`, schema] as const),
)

// Holds D70.
test('every list, record and text in the parameters of every method has a maximum', () => {
  expect(parameters.length).toBeGreaterThan(150)
  expect(parameters.flatMap(([path, schema]) => unboundedParts(schema, path))).toEqual([])
})

test.each<readonly [string, readonly unknown[], string]>([
  [
    'eth_call',
    [{ authorizationList: Array.from({ length: 2049 }, () => ({})) }],
    'invalid argument 0: authorizationList: too long: at most 2048 elements',
  ],
  [
    'eth_call',
    [{ accessList: Array.from({ length: 8193 }, () => ({})) }],
    'invalid argument 0: accessList: too long: at most 8192 addresses and storage keys',
  ],
  [
    'eth_call',
    [{}, 'latest', Object.fromEntries(Array.from({ length: 1025 }, (_, at) => [at, {}]))],
    'invalid argument 2: too long: at most 1024 members',
  ],
  [
    'eth_simulateV1',
    [{ blockStateCalls: [{ calls: Array.from({ length: 5001 }, () => ({})) }] }],
    'invalid argument 0: blockStateCalls: too long: at most 5000 calls',
  ],
  [
    'web3_sha3',
    ['0'.repeat(9_000_000)],
    'invalid argument 0: too long: at most 8388610 characters',
  ],
  [
    'debug_traceCall',
    [{}, 'latest', { timeout: '1'.repeat(65) }],
    'invalid argument 2: timeout: too long: at most 64 characters',
  ],
])('%s names what is too long, and the maximum', async (name, params, message) => {
  await expect(createTestNode().request(name, ...params)).rejects.toMatchObject({
    code: -32602,
    message,
  })
})
