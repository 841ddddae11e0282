import { expect, test } from 'vitest'
import { ALICE, CONTRACT, createTestNode } from '../../../../test/support/rpcNode.ts'
import { fromHex, toHex, toHexDigits } from '../../../base/hex.ts'

/** A node with a contract of the given bytecode. */
function nodeWith(code: string): ReturnType<typeof createTestNode> {
  return createTestNode({ genesis: { [toHexDigits(CONTRACT)]: { code: fromHex(code) } } })
}

// PUSH1 1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
const RETURNS_ONE = '0x60015f5260205ff3'
// CALLDATASIZE, PUSH0, PUSH0, CALLDATACOPY, CALLDATASIZE, PUSH0, REVERT: reverts with its call data.
const REVERTS_WITH_CALLDATA = '0x365f5f37365ffd'
// JUMPDEST, PUSH0, JUMP: never ends by itself.
const LOOPS = '0x5b5f56'

const to = toHex(CONTRACT)

test('eth_call gives what the contract returns', async () => {
  expect(await nodeWith(RETURNS_ONE).request('eth_call', { to }, 'latest')).toBe(
    `0x${'00'.repeat(31)}01`,
  )
})

test('eth_call with data and no recipient simulates a creation', async () => {
  // PUSH1 0xfe, PUSH0, MSTORE8, PUSH1 1, PUSH0, RETURN: the code of the new contract is one byte.
  expect(await nodeWith('0x').request('eth_call', { data: '0x60fe5f5360015ff3' })).toBe('0xfe')
})

test('eth_call without recipient and data is refused', async () => {
  await expect(nodeWith('0x').request('eth_call', {})).rejects.toMatchObject({ code: -32602 })
})

test.each([
  ['0x', 'execution reverted'],
  ['0xdeadbeef', 'execution reverted'],
  [`0x4e487b71${'00'.repeat(31)}11`, 'execution reverted: arithmetic underflow or overflow'],
  [
    `0x08c379a0${'00'.repeat(31)}20${'00'.repeat(31)}026e6f${'00'.repeat(30)}`,
    'execution reverted: no',
  ],
])('a revert with %s is error 3 with the data', async (data, message) => {
  await expect(
    nodeWith(REVERTS_WITH_CALLDATA).request('eth_call', { to, input: data }),
  ).rejects.toMatchObject({ code: 3, message, data })
})

test('a call that runs out of gas says so', async () => {
  await expect(nodeWith(LOOPS).request('eth_call', { to, gas: '0x10000' })).rejects.toMatchObject({
    code: -32000,
    message: 'out of gas',
  })
})

test('data and input that differ are refused, and so are both kinds of fees', async () => {
  const node = nodeWith(RETURNS_ONE)
  await expect(node.request('eth_call', { to, data: '0x01', input: '0x02' })).rejects.toMatchObject(
    {
      code: -32000,
    },
  )
  await expect(
    node.request('eth_call', { to, gasPrice: '0x1', maxFeePerGas: '0x1' }),
  ).rejects.toMatchObject({
    code: -32000,
    message: 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
  })
})

test('eth_call on an unknown block is an error', async () => {
  await expect(nodeWith(RETURNS_ONE).request('eth_call', { to }, '0x99')).rejects.toMatchObject({
    code: -32000,
    message: 'header not found',
  })
})

test('state and block overrides hold for one call', async () => {
  const node = nodeWith(RETURNS_ONE)
  // TIMESTAMP, PUSH0, SLOAD, ADD, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  const code = '0x425f54015f5260205ff3'
  const zero = `0x${'0'.repeat(64)}`
  const overrides = { [to]: { code, stateDiff: { [zero]: `0x${'0'.repeat(62)}10` } } }
  expect(await node.request('eth_call', { to }, 'latest', overrides, { time: '0x5' })).toBe(
    `0x${'0'.repeat(62)}15`,
  )
  expect(await node.request('eth_call', { to }, 'latest')).toBe(`0x${'00'.repeat(31)}01`)
})

test('a revert under overrides is error 3 with the data, like any other', async () => {
  const overrides = { [to]: { code: REVERTS_WITH_CALLDATA } }
  await expect(
    nodeWith(RETURNS_ONE).request('eth_call', { to, data: '0xdeadbeef' }, 'latest', overrides),
  ).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
})

test.each([
  [
    { [to]: { state: {}, stateDiff: {} } },
    -32000,
    `account ${to} has both 'state' and 'stateDiff'`,
  ],
  [{ '0x12': {} }, -32602, 'invalid argument 2: 0x12: not an address'],
])('overrides that contradict themselves are refused: %j', async (overrides, code, message) => {
  await expect(
    nodeWith(RETURNS_ONE).request('eth_call', { to }, 'latest', overrides),
  ).rejects.toMatchObject({ code, message })
})

const IDENTITY = `0x${'0'.repeat(39)}4`
const elsewhere = `0x${'77'.repeat(20)}`

test('movePrecompileToAddress moves a precompile, also for what contracts call', async () => {
  // CALLDATACOPY(0, 0, 32); STATICCALL(gas, <address>, 0, 32, 0, 32); MSIZE, PUSH0, RETURN of the output
  const caller = (target: string) => `0x60205f5f3760205f60205f73${target.slice(2)}5afa503d5ff3`
  const move = { [IDENTITY]: { movePrecompileToAddress: elsewhere } }
  const node = nodeWith(RETURNS_ONE)
  const call = (target: string, overrides: object = move) =>
    node.request('eth_call', { to: target, data: '0x1234' }, 'latest', overrides)
  expect(await call(elsewhere)).toBe('0x1234')
  expect(await call(IDENTITY)).toBe('0x')
  expect(await call(IDENTITY, {})).toBe('0x1234')
  expect(await call(to, { ...move, [to]: { code: caller(elsewhere) } })).toBe(
    `0x1234${'00'.repeat(30)}`,
  )
  expect(await call(to, { ...move, [to]: { code: caller(IDENTITY) } })).toBe('0x')
})

test('code over a precompile takes its place', async () => {
  const overrides = { [IDENTITY]: { code: '0x602a5f5260205ff3' } }
  expect(
    await nodeWith(RETURNS_ONE).request('eth_call', { to: IDENTITY }, 'latest', overrides),
  ).toBe(`0x${'0'.repeat(62)}2a`)
})

test.each([
  [{ [to]: { movePrecompileToAddress: elsewhere } }, 'is not a precompile'],
  [
    { [IDENTITY]: { movePrecompileToAddress: elsewhere }, [elsewhere]: { nonce: '0x1' } },
    'is already overridden',
  ],
])('a move that cannot be is refused: %j', async (overrides, message) => {
  await expect(
    nodeWith(RETURNS_ONE).request('eth_call', { to }, 'latest', overrides),
  ).rejects.toMatchObject({ code: -32000, message: expect.stringContaining(message) as string })
})

// Holds D12.
test('a call without a price pays no base fee, not even one that an override names', async () => {
  // BASEFEE, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN
  const node = nodeWith('0x485f5260205ff3')
  const rich = { [toHex(ALICE)]: { balance: '0xde0b6b3a7640000' } }
  const overrides = [rich, { baseFeePerGas: '0x5' }] as const
  const zero = `0x${'00'.repeat(32)}`
  expect(await node.request('eth_call', { to }, 'latest', ...overrides)).toBe(zero)
  expect(await node.request('eth_estimateGas', { to }, 'latest', ...overrides)).toMatch(/^0x5/)
  const priced = { to, gasPrice: '0x7', from: toHex(ALICE) }
  expect(await node.request('eth_call', priced, 'latest', ...overrides)).toBe(
    `0x${'00'.repeat(31)}05`,
  )
})

test('a call that no block could have names the gas that it would have had', async () => {
  const node = nodeWith(RETURNS_ONE)
  for (const overrides of [[], [{}, { time: '0x7fffffff' }]])
    await expect(
      node.request('eth_call', { to, gas: '0x64' }, 'latest', ...overrides),
    ).rejects.toMatchObject({
      code: -32_000,
      message: 'err: intrinsic gas too low: have 100, want 21000 (supplied gas 100)',
    })
})

test.each([
  ['beaconRoot', `0x${'11'.repeat(32)}`],
  ['withdrawals', []],
])('the block override %s is refused, not ignored', async (name, value) => {
  await expect(
    nodeWith(RETURNS_ONE).request('eth_call', { to }, 'latest', {}, { [name]: value }),
  ).rejects.toMatchObject({
    code: -32_000,
    message: `block override "${name}" is not supported for this RPC method`,
  })
})
