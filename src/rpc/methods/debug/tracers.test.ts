// Results of go-ethereum's tracers where they are not obvious: compared with geth 1.16.7, which gives the same.
import { expect, test } from 'vitest'
import { ALICE, CONTRACT } from '../../../../test/support/rpcNode.ts'
import { CALLEE, createTracedNode } from '../../../../test/support/tracedNode.ts'
import { toHex } from '../../../base/hex.ts'
import { keccak256 } from '../../../base/keccak.ts'

const from = toHex(ALICE)
const to = toHex(CONTRACT)
const other = toHex(CALLEE)
const word = (digit: number): string => `0x${digit.toString(16).padStart(64, '0')}`
const FEE_RECIPIENT = `0x${'cb'.repeat(20)}`

/** PUSH0 five times, then the call of CALLEE with some gas: its operands from the input's size on are zero. */
const callOther = (opcode: string): string => `5f5f5f5f5f73${other.slice(2)}620f4240${opcode}`

type Account = { code?: string; state?: Record<string, string>; balance?: string }

async function trace(
  tracer: string,
  {
    config = {},
    code,
    callee = {},
    call = {},
  }: {
    readonly config?: object
    readonly code: string
    readonly callee?: Account
    readonly call?: object
  },
): Promise<unknown> {
  return await createTracedNode().request(
    'debug_traceCall',
    { from, to, gas: '0x1e8480', ...call },
    'latest',
    {
      tracer,
      tracerConfig: config,
      stateOverrides: { [to]: { code: `0x${code}` }, [other]: { code: '0x', ...callee } },
      blockOverrides: { feeRecipient: FEE_RECIPIENT },
    },
  )
}

// PUSH1 1, PUSH1 2, SSTORE
const WRITES = '0x6001600255'

test('a slot that a static call may not write was touched; one that the gas does not suffice for was not', async () => {
  const callee = { code: WRITES, state: { [word(2)]: word(3) } }
  const isStatic = await trace('prestateTracer', { code: callOther('fa'), callee })
  expect(isStatic).toMatchObject({ [other]: { storage: { [word(2)]: word(3) } } })
  // With 500 gas.
  const poor = `5f5f5f5f5f73${other.slice(2)}6101f4f1`
  expect(await trace('prestateTracer', { code: poor, callee })).toMatchObject({
    [other]: { code: WRITES },
  })
  expect(JSON.stringify(await trace('prestateTracer', { code: poor, callee }))).not.toContain(
    word(2),
  )
})

test('differences leave no room for empty accounts', async () => {
  const config = { diffMode: true, includeEmpty: true }
  await expect(trace('prestateTracer', { config, code: '00' })).rejects.toMatchObject({
    code: -32000,
    message: 'tracerConfig: cannot use diffMode with includeEmpty',
  })
})

test('the delegate of a called account is touched, and its code counts as the account’s', async () => {
  const delegate = `0x${'de'.repeat(20)}`
  const callee = { code: `0xef0100${delegate.slice(2)}` }
  const config = { includeEmpty: true }
  const touched = await trace('prestateTracer', { config, code: callOther('f1'), callee })
  expect(touched).toHaveProperty([delegate])
  const seen = await trace('erc7562Tracer', { code: callOther('f1'), callee })
  expect(seen).toMatchObject({ contractSize: { [other]: { contractSize: 23, opcode: 0xf1 } } })
})

test('flatCallTracer has no result of a failure but a revert, whose output may say why', async () => {
  const flat = async (code: string) => (await trace('flatCallTracer', { code })) as object[]
  // Creates with the init code PUSH0, PUSH0, REVERT.
  const [, reverted] = await flat('625f5ffd5f526003601d5ff000')
  expect(reverted).toMatchObject({
    error: 'execution reverted',
    result: { code: '0x', gasUsed: '0x4' },
    blockHash: null,
    blockNumber: 0,
  })
  expect(reverted).not.toHaveProperty('result.address')
  expect((await flat('fe'))[0]).not.toHaveProperty('result')
})

test('an SSTORE that the sentry stops is out of gas for OpenEthereum, too', async () => {
  const code = `5f5f5f5f5f73${other.slice(2)}610898f1`
  const config = { convertParityErrors: true }
  const callee = { code: WRITES }
  expect(await trace('callTracer', { code, callee })).toMatchObject({
    calls: [{ error: 'out of gas: not enough gas for reentrancy sentry' }],
  })
  expect(await trace('flatCallTracer', { config, code, callee })).toMatchObject([
    {},
    { error: 'Out of gas' },
  ])
})

test('4byteTracer passes over precompiles, the outermost call among them', async () => {
  const call = { to: `0x${'4'.padStart(40, '0')}`, data: '0x0102030405' }
  expect(await trace('4byteTracer', { code: '', call })).toEqual({})
})

test('keccak256PreimageTracer gives what was hashed, zeros where memory was yet to grow', async () => {
  // PUSH1 33, PUSH0, KECCAK256, then of nothing: PUSH0, PUSH0, KECCAK256.
  expect(await trace('keccak256PreimageTracer', { code: '60215f205f5f20' })).toEqual({
    [toHex(keccak256(new Uint8Array(0)))]: '0x',
    [toHex(keccak256(new Uint8Array(33)))]: `0x${'00'.repeat(33)}`,
  })
})

// Holds D16.
test('erc7562Tracer shows what each frame did by itself', async () => {
  // SLOAD 1, TLOAD 2, EXTCODESIZE of CALLEE with and without ISZERO, GAS for POP, KECCAK256 of no bytes, then the call.
  const look = `73${other.slice(2)}3b`
  const code = `6001545060025c50${look}1550${look}505a505f5f2050${callOther('f1')}`
  const callee = { code: WRITES }
  expect(await trace('erc7562Tracer', { code, callee })).toMatchObject({
    type: 'CALL',
    accessedSlots: {
      reads: { [word(1)]: [word(0)] },
      writes: {},
      transientReads: { [word(2)]: 1 },
      transientWrites: {},
    },
    extCodeAccessInfo: [other],
    usedOpcodes: { '0x54': 1, '0x5c': 1, '0x3b': 2, '0x5a': 1, '0x20': 1, '0xf1': 1, '0x0': 1 },
    contractSize: { [other]: { contractSize: 5, opcode: 0x3b } },
    outOfGas: false,
    keccak: ['0x'],
    calls: [{ accessedSlots: { reads: {}, writes: { [word(2)]: 1 } }, usedOpcodes: { '0x55': 1 } }],
  })
  const config = { ignoredOpcodes: ['0x54', '0x55'] }
  const ignoring = (await trace('erc7562Tracer', { config, code, callee })) as {
    usedOpcodes: Record<string, number>
  }
  expect(ignoring.usedOpcodes).toMatchObject({ '0x60': 2, '0x50': 6 })
  expect(ignoring.usedOpcodes).not.toHaveProperty('0x54')
})

// A loop with a call in it, and a last step that the gas does not suffice for.
const LOOPS = `60025b${callOther('f1')}50600190038060025761ffff51600055`

/** What a tracer in JavaScript that counts sequences of `length` opcodes within a frame finds. */
const counting = (length: number): string => `{
  seen: {}, last: [], depth: 0,
  step: function(log) {
    var depth = log.getDepth();
    var isNew = depth !== this.depth;
    this.depth = depth;
    if (isNew) this.last = [];
    if (isNew && ${length} === 3) { this.last = ['', '']; return }
    this.last.push(log.op.toString());
    if (this.last.length > ${length}) this.last.shift();
    if (this.last.length < ${length}) return;
    var key = this.last.join('-');
    this.seen[key] = (this.seen[key] || 0) + 1;
  },
  fault: function() {},
  result: function() { return this.seen },
}`

test.each([
  ['unigramTracer', 1],
  ['bigramTracer', 2],
  ['trigramTracer', 3],
])('%s counts what a tracer in JavaScript counts', async (name, length) => {
  const run = { code: LOOPS, callee: { code: WRITES } }
  const native = (await trace(name, run)) as Record<string, number>
  expect(native).toEqual(await trace(counting(length), run))
  expect(Object.keys(native).length).toBeGreaterThan(10)
})

test('opcountTracer counts all steps, those of inner frames too', async () => {
  const run = { code: LOOPS, callee: { code: WRITES } }
  const all = (await trace('unigramTracer', run)) as Record<string, number>
  const sum = Object.values(all).reduce((total, count) => total + count, 0)
  expect(await trace('opcountTracer', run)).toBe(sum)
  expect(await trace('muxTracer', { ...run, config: { opcountTracer: {} } })).toEqual({
    opcountTracer: sum,
  })
})
