import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../../base/sha256.ts'
import { createConsensusFiles } from './create.ts'
import { DEFAULT_PARAMS, genesisText, loadGenesis, parseGenesis } from './genesis.ts'
import { createNodeKey, createValidatorKey, loadNodeId, loadValidatorKey } from './keys.ts'
import { loadSignState, NO_SIGN_STATE, writeSignState } from './signState.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'assay-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))
const at = (name: string) => path.join(folder, name)
const modeOf = (name: string) => statSync(at(name)).mode & 0o777
const SEED = new Uint8Array(32).fill(1)
const jsonOf = (name: string) =>
  JSON.parse(readFileSync(at(name), 'utf8')) as Record<string, unknown>
const edit = (name: string, changes: object) =>
  writeFileSync(at(name), JSON.stringify({ ...jsonOf(name), ...changes }))

test('keys are written in the shape of CometBFT, readable by the owner alone, and read back', () => {
  const key = createValidatorKey(at('key.json'), SEED)
  expect(jsonOf('key.json')).toEqual({
    address: Buffer.from(key.address).toString('hex').toUpperCase(),
    pub_key: {
      type: 'tendermint/PubKeyEd25519',
      value: Buffer.from(key.signer.publicKey).toString('base64'),
    },
    priv_key: {
      type: 'tendermint/PrivKeyEd25519',
      value: Buffer.concat([SEED, key.signer.publicKey]).toString('base64'),
    },
  })
  expect(modeOf('key.json')).toBe(0o600)
  expect(loadValidatorKey(at('key.json')).address).toEqual(key.address)
  const id = createNodeKey(at('node.json'))
  expect(id).toMatch(/^[0-9a-f]{40}$/)
  expect(loadNodeId(at('node.json'))).toBe(id)
  expect(readdirSync(folder).sort()).toEqual(['key.json', 'node.json'])
})

test('a key file that is missing, malformed or inconsistent is refused without showing its content', () => {
  expect(() => loadValidatorKey(at('none.json'))).toThrow('does not exist')
  createValidatorKey(at('key.json'), SEED)
  edit('key.json', { address: '00'.repeat(20) })
  expect(() => loadValidatorKey(at('key.json'))).toThrow('do not match')
  const secret = Buffer.alloc(64, 7).toString('base64')
  edit('key.json', { priv_key: { type: 'tendermint/PrivKeySecp256k1', value: secret } })
  expect(() => loadValidatorKey(at('key.json'))).toThrow(
    /priv_key\.type: only tendermint\/PrivKeyEd25519/,
  )
  edit('key.json', { priv_key: { type: 'tendermint/PrivKeyEd25519', value: secret } })
  expect(() => loadValidatorKey(at('key.json'))).toThrow(/^(?!.*BwcH).*two halves/)
  writeFileSync(at('key.json'), `{"value": ${secret}}`)
  expect(() => loadValidatorKey(at('key.json'))).toThrow(/^(?!.*BwcH).*is not JSON/)
})

test('the sign state is replaced as a whole and read back', () => {
  const signed = { signature: SEED, signBytes: Uint8Array.of(1, 255) }
  writeSignState(at('state.json'), NO_SIGN_STATE)
  expect(jsonOf('state.json')).toEqual({ height: '0', round: 0, step: 0 })
  const state = { height: 12, round: 0, step: 3, signed }
  writeSignState(at('state.json'), state)
  expect(jsonOf('state.json')).toMatchObject({ height: '12', step: 3, signbytes: '01FF' })
  expect(loadSignState(at('state.json'))).toEqual(state)
  expect(readdirSync(folder)).toEqual(['state.json'])
  expect(() => loadSignState(at('none.json'))).toThrow('does not exist')
  edit('state.json', { height: 12 })
  expect(() => loadSignState(at('state.json'))).toThrow('state.json: height: ')
})

const NEW_GENESIS = {
  timeNs: 1_800_000_000_123_456_789n,
  chainId: 'assay_271828-1',
  validators: [{ publicKey: sha256(SEED), power: 10n, name: 'one' }],
  appState: { evm: { amount: '1' } },
}

test('genesis reads back as it was written', () => {
  const genesis = parseGenesis('genesis.json', genesisText(NEW_GENESIS))
  expect(genesis).toMatchObject({
    timeNs: NEW_GENESIS.timeNs,
    chainId: 'assay_271828-1',
    initialHeight: 1,
    params: DEFAULT_PARAMS,
    appState: new TextEncoder().encode('{"evm":{"amount":"1"}}'),
  })
  expect(genesis.validators).toEqual([
    {
      address: sha256(sha256(SEED)).slice(0, 20),
      publicKey: sha256(SEED),
      power: 10n,
      proposerPriority: 0n,
    },
  ])
})

test.each([
  [{ genesis_time: 'yesterday' }, 'genesis_time: expected a time'],
  [{ chain_id: '' }, 'chain_id: '],
  [{ initial_height: 1 }, 'initial_height: '],
  [{ validators: [] }, 'validators: expected at least one'],
  [{ app_hash: 'xyz' }, 'app_hash: expected hexadecimal'],
  [{ consensus_params: { block: { max_bytes: '0', max_gas: '-1' } } }, 'consensus_params.block'],
])('a genesis with %j is refused by the name of the key', (changes, message) => {
  writeFileSync(at('genesis.json'), genesisText(NEW_GENESIS))
  edit('genesis.json', changes)
  expect(() => loadGenesis(at('genesis.json'))).toThrow(message)
})

test('a validator address that is not that of its key is refused, and so is broken JSON', () => {
  const text = genesisText(NEW_GENESIS)
  expect(() =>
    parseGenesis('g', text.replace(/"address": "[0-9A-F]{40}"/, '"address": "00"')),
  ).toThrow('validators.0.address')
  expect(() => parseGenesis('g', text.slice(0, -3))).toThrow('g is not JSON')
})

test('a half-made home is completed, and a complete one is left alone', () => {
  const files = {
    genesis: at('config/genesis.json'),
    validatorKey: at('config/key.json'),
    nodeKey: at('config/node.json'),
    validatorState: at('data/state.json'),
  }
  const chain = {
    chainId: 'assay_271828-1',
    moniker: 'one',
    genesisTimeNs: 1n,
    appVersion: 1n,
    appState: () => ({}),
  }
  createConsensusFiles(files, chain)
  const { address } = loadValidatorKey(files.validatorKey)
  rmSync(files.genesis)
  createConsensusFiles(files, chain)
  const { genesis, text } = loadGenesis(files.genesis)
  expect(genesis.validators[0]?.address).toEqual(address)
  createConsensusFiles(files, { ...chain, moniker: 'two' })
  expect(loadGenesis(files.genesis).text).toBe(text)
})
