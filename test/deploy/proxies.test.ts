import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DEPLOY, readDeploy } from '../support/deployFiles.ts'
import { hasTool, isInstalled } from '../support/tools.ts'

const file = (name: string) => path.join(DEPLOY, 'proxies', name)

/** Runs a program's own check; returns its output where it fails. */
function faultsOf(program: string, ...args: readonly string[]): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-proxy-'))
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, HOME: home, PATH: `${process.env['PATH']}:/usr/sbin` },
  })
  fs.rmSync(home, { recursive: true, force: true })
  return status === 0 ? '' : `${status}: ${stdout}${stderr}`
}

test.runIf(hasTool('haproxy'))('HAProxy takes its configuration', () => {
  expect(faultsOf('haproxy', '-c', '-f', file('haproxy.cfg'))).toBe('')
})

test.runIf(isInstalled('nginx'))('nginx takes its configuration', () => {
  expect(faultsOf('nginx', '-t', '-q', '-c', file('nginx.conf'), '-e', 'stderr')).toBe('')
})

test.runIf(isInstalled('caddy'))('Caddy takes its configuration', () => {
  const args = ['validate', '--config', file('Caddyfile'), '--adapter', 'caddyfile']
  expect(faultsOf('caddy', ...args)).toBe('')
})

test.each(['haproxy.cfg', 'nginx.conf', 'Caddyfile'])(
  '%s leads to the ports of nodes and dispatcher, and listens to this machine or a name of its own',
  (name) => {
    const text = readDeploy('proxies', name)
    for (const port of [8545, 8546, 8549]) expect(text).toContain(`127.0.0.1:${port}`)
    expect(text).not.toMatch(/0\.0\.0\.0|\*:\d/)
  },
)

test('HAProxy and Caddy ask whether a node is ready', () => {
  expect(readDeploy('proxies', 'haproxy.cfg')).toContain('option httpchk GET /readyz')
  expect(readDeploy('proxies', 'Caddyfile')).toContain('health_uri /readyz')
})
