import { expect, test } from 'vitest'
import { UserError } from '../base/errors.ts'
import { toHexDigits } from '../base/hex.ts'
import { parseChainId } from './chainId.ts'
import { defaultAppState } from './defaultGenesis.ts'
import { parseGenesis } from './genesis.ts'
import { PREDEPLOYS } from './predeploys.ts'

const RICH = new Uint8Array(20).fill(0xaa)
const appState = defaultAppState({
  accounts: [{ address: RICH, balance: 10n ** 22n }],
  validators: [],
  minBaseFee: 5n,
})
const parse = (state: unknown) =>
  parseGenesis('assay_271828-1', new TextEncoder().encode(JSON.stringify(state)))
const withEvm = (fields: object) => ({ evm: { ...appState.evm, ...fields } })

test('a default state gives its rules, its accounts and the predeployed contracts', () => {
  const genesis = parse(appState)
  expect(genesis.chainName).toBe('assay')
  expect(genesis.rules).toEqual({
    chainId: 271828n,
    blockGasLimit: 30_000_000n,
    initialBaseFee: 1_000_000_000n,
    minBaseFee: 5n,
  })
  expect(genesis.alloc.get(toHexDigits(RICH))?.account?.balance).toBe(10n ** 22n)
  for (const { address, code } of PREDEPLOYS)
    expect(genesis.alloc.get(toHexDigits(address))?.code).toEqual(code)
})

test('code and storage of an allocation are taken over', () => {
  const address = `0x${'bb'.repeat(20)}`
  const slot = `0x${'00'.repeat(31)}01`
  const genesis = parse(
    withEvm({
      alloc: { [address]: { code: '0x00', storage: { [slot]: `0x${'22'.repeat(32)}` } } },
    }),
  )
  const effect = genesis.alloc.get('bb'.repeat(20))
  expect(effect?.code).toEqual(Uint8Array.of(0))
  expect(effect?.storage.get(slot.slice(2))).toEqual(new Uint8Array(32).fill(0x22))
})

test('a genesis may begin with an older fork, and plan what comes at which height', () => {
  const { rules } = parse(
    withEvm({
      hardfork: 'cancun',
      upgrades: [
        { height: 5, hardfork: 'prague', code: { [`0x${'BB'.repeat(20)}`]: '0x00' } },
        { height: 9, hardfork: 'osaka' },
      ],
    }),
  )
  expect(rules).toMatchObject({
    hardfork: 'cancun',
    upgrades: [
      { height: 5, hardfork: 'prague', code: new Map([['bb'.repeat(20), Uint8Array.of(0)]]) },
      { height: 9, hardfork: 'osaka', code: new Map() },
    ],
  })
})

test.each([
  ['app_state.evm.block_gas_limit', withEvm({ block_gas_limit: 30_000_000 })],
  ['app_state.evm.min_base_fee: expected a decimal integer', withEvm({ min_base_fee: '0x1' })],
  ['app_state.evm.alloc.0x12: expected an address', withEvm({ alloc: { '0x12': {} } })],
  ['app_state.evm.alloc.0xzz', withEvm({ alloc: { '0xzz': { balance: 'many' } } })],
  ['app_state.evm', withEvm({ surprise: true })],
  ['app_state.evm', {}],
  ['app_state.evm.hardfork', withEvm({ hardfork: 'london' })],
  ['app_state.evm.upgrades.0.height', withEvm({ upgrades: [{ height: 0 }] })],
  [
    'app_state.evm.upgrades.1.height: expected ascending heights',
    withEvm({ upgrades: [{ height: 9 }, { height: 9 }] }),
  ],
  [
    'app_state.evm.upgrades.0.hardfork: expected a fork newer',
    withEvm({ hardfork: 'prague', upgrades: [{ height: 9, hardfork: 'cancun' }] }),
  ],
  [
    'app_state.evm.upgrades.0.hardfork: expected a fork newer',
    withEvm({ upgrades: [{ height: 9, hardfork: 'osaka' }] }),
  ],
  [
    'app_state.evm.upgrades.0.code.0x12: expected an address',
    withEvm({ upgrades: [{ height: 9, code: { '0x12': '0x00' } }] }),
  ],
  [
    'app_state.evm.validators: the contract is not in alloc',
    withEvm({ alloc: {}, validators: { [`0x${'11'.repeat(20)}`]: `0x${'22'.repeat(20)}` } }),
  ],
])('a mistake names its key: %s', (message, state) => {
  expect(() => parse(state)).toThrow(UserError)
  expect(() => parse(state)).toThrow(message)
})

test('text that is not JSON is refused', () => {
  expect(() => parseGenesis('assay_1-1', new TextEncoder().encode('{'))).toThrow('is not JSON')
})

// Holds D2.
test('a chain id has a name, a number and an epoch', () => {
  expect(parseChainId('assay_271828-1')).toEqual({ name: 'assay', eip155: 271828n, epoch: 1 })
})

test.each(['assay', 'assay_0-1', 'assay_1', 'Assay_1-1', 'assay_1-0', 'assay_01-1', ''])(
  '%j is no chain id',
  (text) => {
    expect(() => parseChainId(text)).toThrow(UserError)
  },
)
