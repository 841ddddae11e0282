import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { UserError } from '../base/errors.ts'
import { toHex, toHexDigits } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { loadOperatorConfig } from './operator.ts'

const privateKey = new Uint8Array(32).fill(7)
const keyDigits = toHexDigits(privateKey)
const nodeId = toHex(addressOfPrivateKey(privateKey))

const REQUIRED = {
  pg_db_url: 'postgres://assay:hunter2@127.0.0.1:5432/operator',
  dispatcher_url: '127.0.0.1:8550',
  dispatcher_address: `0x${'ab'.repeat(20)}`,
  node_id: nodeId,
  signer_key: keyDigits,
  vrf_key: `0x${keyDigits}`,
  chain_rpc_url: 'http://127.0.0.1:8545',
}

function write(name: string, content: string): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-operator-config-'))
  fs.writeFileSync(path.join(folder, name), content)
  return path.join(folder, name)
}

function yaml(keys: Readonly<Record<string, string>>, quote = '"'): string {
  return Object.entries(keys)
    .map(([name, value]) => `${name}: ${quote}${value}${quote}\n`)
    .join('')
}

function problemsOf(keys: Readonly<Record<string, string>>): string {
  try {
    loadOperatorConfig(write('operator.yaml', yaml(keys)))
  } catch (error) {
    if (error instanceof UserError) return error.message
    throw error
  }
  return ''
}

// Holds D33.
test('the seven keys alone are a configuration', () => {
  const config = loadOperatorConfig(write('operator.yaml', yaml(REQUIRED)))
  expect(config.signer_key).toEqual(privateKey)
  expect(config.node_type).toEqual(['opml', 'tee'])
  expect(config.worker_url).toBeUndefined()
  expect(path.isAbsolute(config.models_dir)).toBe(true)
})

test('YAML and TOML, flat and in sections, give the same values', () => {
  const sections = [
    ['db', ['pg_db_url']],
    ['net', ['dispatcher_url', 'dispatcher_address']],
    ['node', ['node_id', 'signer_key', 'vrf_key']],
    ['chain', ['chain_rpc_url']],
  ] as const
  const grouped = (open: (name: string) => string, line: (name: string, value: string) => string) =>
    sections
      .map(([name, keys]) => open(name) + keys.map((each) => line(each, REQUIRED[each])).join(''))
      .join('')
  const toml = grouped(
    (name) => `[${name}]\n`,
    (name, value) => `${name} = "${value}"\n`,
  )
  const nested = grouped(
    (name) => `${name}:\n`,
    (name, value) => `  ${name}: ${value}\n`,
  )
  const flat = loadOperatorConfig(write('a.yaml', yaml(REQUIRED)))
  expect(loadOperatorConfig(write('a.toml', toml))).toEqual(flat)
  expect(loadOperatorConfig(write('a.conf', toml))).toEqual(flat)
  expect(loadOperatorConfig(write('a.yml', nested))).toEqual(flat)
  // Unquoted hex digits are not read as numbers.
  expect(loadOperatorConfig(write('a.yaml', yaml(REQUIRED, '')))).toEqual(flat)
})

test.each([
  ['127.0.0.1:8550', 'ws://127.0.0.1:8550/ws'],
  ['dispatcher.example:1', 'ws://dispatcher.example:1/ws'],
  ['http://127.0.0.1:8550', 'ws://127.0.0.1:8550/ws'],
  ['https://dispatcher.example/', 'wss://dispatcher.example/ws'],
  ['wss://dispatcher.example/operators', 'wss://dispatcher.example/operators'],
  ['[::1]:8550', 'ws://[::1]:8550/ws'],
])('dispatcher_url %s becomes %s', (given, expected) => {
  const file = write('operator.yaml', yaml({ ...REQUIRED, dispatcher_url: given }))
  expect(loadOperatorConfig(file).dispatcher_url).toBe(expected)
})

test.each([
  [{ dispatcher_url: 'ftp://host' }, 'dispatcher_url: expected host:port'],
  [{ node_id: '0x12' }, 'node_id: expected an address'],
  [{ node_id: `0x${'11'.repeat(20)}` }, 'node_id: expected the address of signer_key'],
  [{ vrf_key: '08'.repeat(32) }, 'vrf_key: expected the same key as signer_key'],
  [{ signer_key: '00'.repeat(32) }, 'signer_key: expected a private key'],
  [{ pg_db_url: 'postgres://127.0.0.1:5432/' }, 'pg_db_url: expected a PostgreSQL URL'],
  [{ chain_rpc_url: '8545' }, 'chain_rpc_url: expected a URL'],
  [{ node_type: 'zkml' }, 'node_type: expected a list of "opml" and "tee"'],
  [{ slots: '0' }, 'slots: expected an integer from 1 to 256'],
  [{ signer_kye: 'x' }, 'signer_kye: unknown key, expected one of pg_db_url'],
  [{ worker_url: 'http://127.0.0.1:1' }, 'worker_secret_file: missing'],
])('%o is refused with the key and what was expected', (change, expected) => {
  expect(problemsOf({ ...REQUIRED, ...change })).toContain(expected)
})

test('all missing keys are named at once', () => {
  const message = problemsOf({ slots: '2' })
  for (const name of Object.keys(REQUIRED)) expect(message).toContain(`${name}: missing`)
})

test('secrets are never repeated in errors', () => {
  const secret = `zz${keyDigits.slice(2)}`
  const message = problemsOf({
    ...REQUIRED,
    signer_key: secret,
    pg_db_url: 'mysql://u:hunter2@h/x',
  })
  expect(message).toContain('signer_key')
  expect(message).not.toContain(secret)
  expect(message).not.toContain('hunter2')
})

test('a file that is neither YAML nor TOML is a readable error', () => {
  expect(() => loadOperatorConfig(write('a.yaml', 'a: [1'))).toThrow(/is not valid YAML/)
  expect(() => loadOperatorConfig(write('a.toml', 'a = '))).toThrow(/is not valid TOML/)
  expect(() => loadOperatorConfig('/nonexistent/operator.yaml')).toThrow(/does not exist/)
})
