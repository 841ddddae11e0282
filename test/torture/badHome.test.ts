/** Homes that are damaged, foreign or put together from several: the start says what it found, and changes nothing. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { EXIT_DAMAGED } from '../../src/base/exitCodes.ts'
import { homePaths, type Home } from '../../src/config/home.ts'
import { openChainTables } from '../../src/ledger/tables.ts'
import { openKv } from '../../src/store/kv.ts'
import { faultOfStoreFile } from '../../src/store/kvFile.ts'
import { newHome, runAssay } from '../support/assay.ts'
import { openManualNode } from '../support/manualNode.ts'

let original: Home
let foreign: Home
beforeAll(async () => {
  original = await madeHome(5)
  foreign = await madeHome(3)
})
afterAll(() => {
  for (const { folder } of [original, foreign])
    fs.rmSync(path.dirname(folder), { recursive: true, force: true })
})

async function madeHome(blocks: number): Promise<Home> {
  const home = homePaths(newHome())
  await completeHome(home)
  const node = openManualNode(home.folder)
  for (let i = 0; i < blocks; i++) await node.engine.produceBlock()
  await node.stop()
  return home
}

/** A hash over everything in a store. Opening one writes to its file, though it changes nothing in it. */
async function storeHash(folder: string): Promise<string> {
  const kv = openKv(folder, { readOnly: true })
  const hash = createHash('sha256')
  const names = ['consensus-blocks', 'consensus-hashes', 'consensus-values'] as const
  const tables = [...Object.values(openChainTables(kv)), ...names.map((name) => kv.table(name))]
  for (const table of tables)
    for (const { key, value } of table.range({})) hash.update(key).update(value)
  await kv.close()
  return hash.digest('hex')
}

/** Every file under a folder with its content's hash and mode; LMDB's table of readers and our own lock aside. */
async function fingerprint(folder: string): Promise<Record<string, string>> {
  const { chainStore } = homePaths(folder)
  const isStore = fs.existsSync(chainStore) && faultOfStoreFile(chainStore) === undefined
  const ignored = new Set(['lock.mdb', 'node.lock', ...(isStore ? ['data.mdb'] : [])])
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  const hashes = Object.fromEntries(
    files
      .filter((entry) => entry.isFile() && !ignored.has(entry.name))
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name)
        const hash = createHash('sha256').update(fs.readFileSync(file)).digest('hex')
        return [path.relative(folder, file), `${fs.statSync(file).mode.toString(8)} ${hash}`]
      }),
  )
  return { ...hashes, ...(isStore && { store: await storeHash(chainStore) }) }
}

const cut = (file: string) => fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2))
const replace = (file: string, from: string | RegExp, to: string) =>
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(from, to))

type Case = readonly [what: string, message: RegExp, damage: (home: Home) => void]

const CASES: readonly Case[] = [
  [
    'another chain id',
    /genesis\.json is not the one that this data folder was created from/,
    ({ genesis }) => replace(genesis, 'assay_271828-1', 'assay_314159-1'),
  ],
  [
    'the genesis of another chain',
    /is not the one that this data folder|only validator/,
    ({ genesis }) => fs.copyFileSync(foreign.genesis, genesis),
  ],
  [
    'the validator key of another chain',
    /only validator/,
    ({ validatorKey }) => fs.copyFileSync(foreign.validatorKey, validatorKey),
  ],
  [
    'the data of another chain',
    /is not the one that this data folder was created from/,
    ({ chainStore }) => fs.cpSync(foreign.chainStore, chainStore, { recursive: true }),
  ],
  [
    'no data under a sign state',
    /at height 5, and there is no block store: this key signed blocks/,
    ({ chainStore }) => fs.rmSync(chainStore, { recursive: true }),
  ],
  [
    'a sign state ahead of the data',
    /at height 6, the block store at 5: this key signed blocks/,
    ({ validatorState }) => replace(validatorState, '"height": "5"', '"height": "6"'),
  ],
  [
    'a sign state far behind the data',
    /at height 2, the block store at 5: it is too old/,
    ({ validatorState }) => replace(validatorState, '"height": "5"', '"height": "2"'),
  ],
  [
    'another signature',
    /different signatures for height 5/,
    ({ validatorState }) => replace(validatorState, /"signbytes": "../, '"signbytes": "FF'),
  ],
  [
    'half a sign state',
    /priv_validator_state\.json is not JSON/,
    ({ validatorState }) => cut(validatorState),
  ],
  [
    'no sign state',
    /priv_validator_state\.json does not exist/,
    ({ validatorState }) => fs.rmSync(validatorState),
  ],
  [
    'half a validator key',
    /priv_validator_key\.json is not JSON/,
    ({ validatorKey }) => cut(validatorKey),
  ],
  ['half a node key', /node_key\.json is not JSON/, ({ nodeKey }) => cut(nodeKey)],
  ['half a genesis', /genesis\.json is not JSON/, ({ genesis }) => cut(genesis)],
  [
    'half a configuration',
    /not valid TOML|unknown key/,
    ({ configFile }) => fs.appendFileSync(configFile, '\nmoniker = "half'),
  ],
  [
    'half a store',
    /data\.mdb is truncated/,
    ({ chainStore }) => cut(path.join(chainStore, 'data.mdb')),
  ],
  [
    'a store of something else',
    /data\.mdb is not an LMDB file/,
    ({ chainStore }) => fs.writeFileSync(path.join(chainStore, 'data.mdb'), 'x'.repeat(20_000)),
  ],
  [
    'a validator key that others can read',
    /can be read by other users[^]*chmod 600/,
    ({ validatorKey }) => fs.chmodSync(validatorKey, 0o644),
  ],
  [
    'a folder in the place of the sign state',
    /priv_validator_state\.json cannot be read/,
    ({ validatorState }) => {
      fs.rmSync(validatorState)
      fs.mkdirSync(validatorState)
    },
  ],
]

test.each(CASES)(
  '%s stops the start, and nothing is overwritten',
  async (_what, message, damage) => {
    const home = homePaths(newHome())
    fs.cpSync(original.folder, home.folder, { recursive: true })
    damage(home)
    const before = await fingerprint(home.folder)
    const { code, output } = await runAssay(['node', '--home', home.folder])
    expect(code).toBe(message.source.startsWith('data') ? EXIT_DAMAGED : 1)
    expect(output).toMatch(message)
    // What was found, and on a line of its own what to do; no stack.
    expect(output.split('\n').filter((line) => line !== '' && !line.startsWith('{')).length).toBe(2)
    expect(output).not.toContain('    at ')
    expect(await fingerprint(home.folder)).toEqual(before)
    fs.rmSync(path.dirname(home.folder), { recursive: true, force: true })
  },
)

const canMount = process.platform === 'linux' && process.getuid?.() === 0

test.runIf(canMount).each(['node', 'node check', 'node rollback', 'up'])(
  'on a file system that is read-only, %s says so',
  async (command) => {
    const home = homePaths(newHome())
    fs.cpSync(original.folder, home.folder, { recursive: true })
    const { folder } = home
    expect(spawnSync('mount', ['--bind', folder, folder]).status).toBe(0)
    try {
      expect(spawnSync('mount', ['-o', 'remount,bind,ro', folder]).status).toBe(0)
      const { code, output } = await runAssay([...command.split(' '), '--home', folder])
      expect(code).toBe(1)
      expect(output).toMatch(/cannot be used: its file system is read-only\nMount it writable/)
      expect(output).not.toContain('    at ')
    } finally {
      spawnSync('umount', [folder])
    }
    fs.rmSync(path.dirname(folder), { recursive: true, force: true })
  },
)
