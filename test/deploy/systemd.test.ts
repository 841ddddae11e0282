/** Holds D114. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dispatcherKeys } from '../../src/config/dispatcher.ts'
import { environmentName } from '../../src/config/key.ts'
import { nodeKeys } from '../../src/config/node.ts'
import { faultOf } from '../support/commandLine.ts'
import { DEPLOY, readDeploy } from '../support/deployFiles.ts'

const units = fs.readdirSync(path.join(DEPLOY, 'systemd'))
const services = units.filter((unit) => unit !== 'assay-runtime.service')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-units-'))
  // The programs are not installed here: any that exists stands in for them. Units name each other, so all lie together.
  for (const unit of units) {
    const text = readDeploy('systemd', unit).replace(/\/usr\/bin\/(?:assay|node)/, process.execPath)
    fs.writeFileSync(path.join(folder, unit), text)
  }
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** The values of a setting, in order. */
const settingsOf = (unit: string, name: string): readonly string[] =>
  readDeploy('systemd', unit)
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1))

test.runIf(hasSystemd).each(units)('systemd takes %s, and finds it well confined', (unit) => {
  const file = path.join(folder, unit)
  const environment = { ...process.env, SYSTEMD_UNIT_PATH: `${folder}:` }
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
    encoding: 'utf8',
    env: environment,
  })
  expect(verified.stderr.split('\n').filter((line) => line.includes(unit))).toEqual([])
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', file], {
    encoding: 'utf8',
    env: environment,
  })
  const level = /exposure level for .*: ([\d.]+)/.exec(stdout)?.[1]
  if (level !== undefined) expect(Number(level)).toBeLessThan(3)
})

test.each(services)('%s has the hardening that all of them have', (unit) => {
  const text = readDeploy('systemd', unit)
  for (const line of [
    'User=assay',
    'StateDirectoryMode=0700',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'ProtectHome=yes',
    'PrivateTmp=yes',
    'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX',
    'SystemCallFilter=@system-service',
    'LimitNOFILE=65536',
    'LimitCORE=0',
    'Restart=on-failure',
    'OOMPolicy=stop',
    'SyslogIdentifier=%N',
  ])
    expect(text).toContain(`\n${line}\n`)
  expect(text).not.toMatch(/^MemoryDenyWriteExecute/m)
})

test.each(services)('%s runs a command that exists, with variables that exist', (unit) => {
  const [command = ''] = settingsOf(unit, 'ExecStart')
  const [program, ...words] = command.split(' ')
  expect(program).toBe('/usr/bin/assay')
  expect(faultOf(words)).toBeUndefined()
  const known = new Set(Object.keys({ ...nodeKeys, ...dispatcherKeys }).map(environmentName))
  const variables = settingsOf(unit, 'Environment').flatMap((line) => line.split(' '))
  for (const [name = ''] of variables.map((each) => each.split('=')))
    if (name.startsWith('ASSAY_') && name !== 'ASSAY_HOME') expect([...known]).toContain(name)
})

test.each([
  'assay.service',
  'assay-node.service',
  'assay-validator.service',
  'assay-sentry.service',
])(
  '%s is not started again with a damaged store, and one that starts in vain is given up',
  (unit) => {
    expect(settingsOf(unit, 'RestartPreventExitStatus')).toEqual(['65'])
    const [interval, burst, pause] = ['StartLimitIntervalSec', 'StartLimitBurst', 'RestartSec'].map(
      (name) => Number(settingsOf(unit, name)[0]),
    )
    // Otherwise its starts are too far apart to be counted together.
    expect((burst ?? 0) * (pause ?? 0)).toBeLessThan(interval ?? 0)
  },
)

test('a validator serves its own machine alone and tells no peer of others', () => {
  const variables = settingsOf('assay-validator.service', 'Environment').join(' ')
  expect(variables).toContain('CMT_P2P_PEX=false')
  for (const name of ['ASSAY_JSON_RPC_ADDRESS', 'ASSAY_JSON_RPC_WS_ADDRESS', 'ASSAY_RPC_LADDR'])
    expect(variables).toMatch(new RegExp(`${name}=(?:tcp://)?127\\.0\\.0\\.1:`))
})

test('the worker waits for llama.cpp, which a unit of its own installs where the worker only reads', () => {
  expect(settingsOf('assay-worker.service', 'Requires')).toEqual(['assay-runtime.service'])
  expect(settingsOf('assay-worker.service', 'After')[0]).toContain('assay-runtime.service')
  const [command = ''] = settingsOf('assay-runtime.service', 'ExecStart')
  const [program, ...words] = command.split(' ')
  expect(program).toBe('/usr/bin/assay')
  expect(faultOf(words)).toBeUndefined()
  const [environment = ''] = settingsOf('assay-runtime.service', 'Environment')
  const [, home = ''] = /ASSAY_HOME=(\S+)/.exec(environment) ?? []
  expect(settingsOf('assay-worker.service', 'ReadOnlyPaths')).toEqual([`-${home}/runtime`])
  expect(settingsOf('assay-runtime.service', 'User')).toEqual(['assay'])
})
