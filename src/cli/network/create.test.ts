/** Holds D113. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { homePaths } from '../../config/home.ts'
import { loadConfig } from '../../config/load.ts'
import { nodeKeys } from '../../config/node.ts'
import { loadOperatorConfig } from '../../config/operator.ts'
import { loadGenesis } from '../../consensus/files/genesis.ts'
import { loadNodeId, loadValidatorKey } from '../../consensus/files/keys.ts'
import { loadIdentity } from '../../jobs/dispatcher/key.ts'
import { loadWorkerSecret } from '../../jobs/worker/secret.ts'
import { anchorAddressOf } from '../newHome.ts'
import { createProgram } from '../program.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true })
})

async function create(...flags: readonly string[]): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-homes-'))
  folders.push(folder)
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    await createProgram().parseAsync(['network', 'create', folder, ...flags], { from: 'user' })
  } finally {
    write.mockRestore()
  }
  return folder
}

const MONEY = `0x${'5a'.repeat(20)}`

test('each home of a network has its own keys, one genesis, and all others as peers by their hosts', async () => {
  const folder = await create('--validators=2', '--hosts=%.example', `--fund=${MONEY}`)
  const names = fs.readdirSync(folder)
  expect(names.toSorted()).toEqual(['full0', 'validator0', 'validator1'])
  const homes = names.map((name) => ({ name, home: homePaths(path.join(folder, name)) }))
  const texts = new Set(homes.map(({ home }) => loadGenesis(home.genesis).text))
  expect(texts.size).toBe(1)
  const { validators, appState } = loadGenesis(homes[0]?.home.genesis ?? '').genesis
  expect(
    new Set(validators.map(({ publicKey }) => Buffer.from(publicKey).toString('hex'))),
  ).toEqual(
    new Set(
      homes
        .filter(({ name }) => name.startsWith('validator'))
        .map(({ home }) =>
          Buffer.from(loadValidatorKey(home.validatorKey).signer.publicKey).toString('hex'),
        ),
    ),
  )
  const alloc = Buffer.from(appState).toString()
  expect(alloc).toContain(MONEY)
  // The first account of the well-known test mnemonic.
  expect(alloc.toLowerCase()).not.toContain('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
  for (const { name, home } of homes) {
    const config = loadConfig(nodeKeys, {
      file: home.configFile,
      environment: {},
      flags: {},
      otherTables: [],
    })
    expect(config['consensus.engine']).toBe('cometbft')
    expect(config['json-rpc.hosts']).toEqual([`${name}.example`])
    const peers = homes
      .filter((other) => other.name !== name)
      .map((other) => `${loadNodeId(other.home.nodeKey)}@${other.name}.example:26656`)
    expect(new Set(config['p2p.persistent-peers'])).toEqual(new Set(peers))
    expect(fs.statSync(home.validatorKey).mode & 0o077).toBe(0)
  }
})

test('with a database, dispatcher, operators and worker know each other, and the anchor key has money', async () => {
  const flags = ['--database=postgres://assay@db:5432', '--at=/srv/assay', '--rpc-host=rpc']
  const folder = await create(...flags)
  const dispatcher = homePaths(path.join(folder, 'dispatcher'))
  const config = loadConfig(dispatcherKeys, {
    file: dispatcher.configFile,
    environment: {},
    flags: {},
    otherTables: [],
  })
  expect(config['dispatcher.pg_db_url']).toBe('postgres://assay@db:5432/assay_dispatcher')
  expect(config['dispatcher.chain-rpc-url']).toBe('http://rpc:8545')
  expect(config['dispatcher.hosts']).toEqual(['dispatcher'])
  for (const file of [dispatcher.dispatcherKey, dispatcher.promptKey, dispatcher.anchorKey])
    expect(fs.statSync(file).mode & 0o077).toBe(0)
  const { genesis } = loadGenesis(homePaths(path.join(folder, 'validator0')).genesis)
  const anchor = Buffer.from(anchorAddressOf(dispatcher)).toString('hex')
  expect(Buffer.from(genesis.appState).toString()).toContain(anchor)
  for (const type of ['opml', 'tee'] as const) {
    const file = path.join(folder, type, 'operator.toml')
    expect(fs.statSync(file).mode & 0o077).toBe(0)
    const operator = loadOperatorConfig(file)
    expect(operator.node_type).toEqual([type])
    expect(operator.models_dir).toBe('/srv/assay/models')
    expect(operator.pg_db_url).toBe(`postgres://assay@db:5432/assay_${type}`)
    expect(operator.dispatcher_url).toBe('ws://dispatcher:8550/ws')
    expect(Buffer.from(operator.dispatcher_address).toString('hex')).toBe(
      loadIdentity(dispatcher.dispatcherKey).address.slice(2),
    )
  }
  const secretOf = (name: string) =>
    loadWorkerSecret(homePaths(path.join(folder, name)).workerSecret)
  expect(secretOf('tee')).toBe(secretOf('worker'))
})

test('keys are never replaced: a folder that is not empty is refused, as is a wrong option', async () => {
  const folder = await create('--validators=1')
  await expect(
    createProgram().parseAsync(['network', 'create', folder], { from: 'user' }),
  ).rejects.toThrow('is not empty')
  await expect(create('--block-interval=soon')).rejects.toThrow('--block-interval: expected')
  await expect(create('--fund=nobody')).rejects.toThrow('--fund: expected an address')
  await expect(create('--database=postgres://db/name')).rejects.toThrow('--database: expected')
})
