import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { dispatcherKeys } from './dispatcher.ts'
import { loadConfig } from './load.ts'
import { nodeKeys } from './node.ts'
import { configTemplate } from './toml.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-config-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

let files = 0
function load(
  toml: string,
  environment: Record<string, string> = {},
  flags: Record<string, unknown> = {},
) {
  const file = path.join(folder, `${files++}.toml`)
  fs.writeFileSync(file, toml)
  return loadConfig(nodeKeys, { file, environment, flags, otherTables: [dispatcherKeys] })
}

test('an empty file gives the defaults', () => {
  const config = load('')
  expect(config['json-rpc.address']).toEqual({ host: '127.0.0.1', port: 8545 })
  expect(config['consensus.block-interval']).toBe(1000)
  expect(config['minimum-gas-prices']).toBe(0n)
})

// Holds D39.
test('a flag wins over the environment, which wins over the file', () => {
  const toml =
    '[json-rpc]\naddress = "127.0.0.1:1"\nws-address = "127.0.0.1:2"\n[rpc]\nladdr = "tcp://127.0.0.1:3"\n'
  const environment = {
    ASSAY_JSON_RPC_ADDRESS: '127.0.0.1:4',
    ASSAY_JSON_RPC_WS_ADDRESS: '127.0.0.1:5',
  }
  const config = load(toml, environment, { 'json-rpc.address': '[::1]:6' })
  expect(config['json-rpc.address']).toEqual({ host: '::1', port: 6 })
  expect(config['json-rpc.ws-address'].port).toBe(5)
  expect(config['rpc.laddr'].port).toBe(3)
})

test('a file that cannot be read stops with its name', () => {
  const sources = { file: folder, environment: {}, flags: {} }
  expect(() => loadConfig(nodeKeys, sources)).toThrow(`${folder} can't be read`)
})

test('an unknown key stops with its name and the nearest known one', () => {
  expect(() => load('[json-rpc]\nadress = "127.0.0.1:1"\n')).toThrow(
    /unknown key "json-rpc.adress" \(did you mean "json-rpc.address"\?\)/,
  )
})

test.each([
  ['[json-rpc]\naddress = 8545', 'json-rpc.address: expected host:port'],
  ['[json-rpc]\naddress = "127.0.0.1:99999"', 'json-rpc.address: expected host:port'],
  ['[consensus]\nblock-interval = "1"', 'consensus.block-interval: expected a duration'],
  ['[consensus]\nblock-interval = "1h"', 'consensus.block-interval: expected a duration'],
  ['[state]\narchive = "yes"', 'state.archive: expected true or false'],
  ['minimum-gas-prices = "12"', 'minimum-gas-prices: expected an amount with its denomination'],
  [
    `minimum-gas-prices = "${2n ** 256n}aassay"`,
    'minimum-gas-prices: expected an amount with its denomination',
  ],
  ['[log]\nlevel = "loud"', 'log.level: expected one of'],
])('the ill-typed value in %j is reported with what was expected', (toml, message) => {
  expect(() => load(toml)).toThrow(message)
})

test('all problems are reported at once', () => {
  expect(() => load('a = 1\nb = 2\n[log]\nlevel = "loud"')).toThrow(/"a".*\n.*"b".*\n.*log.level/)
})

test('a file that is not TOML is reported with its line', () => {
  expect(() => load('moniker = "a"\nx = = 1')).toThrow(/line 2/)
})

test('the template loads, with and without its comment marks', () => {
  const template = configTemplate([nodeKeys, dispatcherKeys], { 'json-rpc.address': '127.0.0.1:7' })
  expect(load(template)['json-rpc.address'].port).toBe(7)
  const uncommented = template.replaceAll(/^# ([a-z_-]+ = )/gm, '$1')
  expect(load(uncommented)['json-rpc.ws-address'].port).toBe(8546)
})
