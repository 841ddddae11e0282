// Holds D67.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { homePaths } from '../config/home.ts'
import { genesisText } from '../consensus/files/genesis.ts'
import { lockHome } from './homeLock.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-homelock-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** A PATH whose `flock` says what it says on a file system without locks. */
const bin = path.join(folder, 'bin')
const withoutLocks = () => vi.stubEnv('PATH', bin)
beforeAll(() => {
  fs.mkdirSync(bin)
  const script = '#!/bin/sh\necho "flock: 3: No locks available" >&2\nexit 71\n'
  fs.writeFileSync(path.join(bin, 'flock'), script, { mode: 0o755 })
})

function homeWith(validators: number) {
  const home = homePaths(path.join(folder, `home${validators}`))
  fs.mkdirSync(home.config, { recursive: true })
  const keys = Array.from({ length: validators }, (_, at) => new Uint8Array(32).fill(at + 1))
  fs.writeFileSync(
    home.genesis,
    genesisText({
      timeNs: 0n,
      chainId: 'assay_271828-1',
      validators: keys.map((publicKey) => ({ publicKey, power: 10n, name: '' })),
      appState: undefined,
    }),
  )
  return home
}
const LOCAL = { 'priv-validator-laddr': undefined, 'unsafe-no-lock': false }
const UNSAFE = { ...LOCAL, 'unsafe-no-lock': true }
const REMOTE = { ...LOCAL, 'priv-validator-laddr': { host: '127.0.0.1', port: 26659 } }

test('where there are locks they are taken, whatever the configuration says', () => {
  const home = homeWith(1)
  for (const config of [LOCAL, UNSAFE, REMOTE]) {
    const lock = lockHome(home, config)
    expect(lock).toMatchObject({ isLocked: true, warning: undefined })
    expect(() => lockHome(home, config)).toThrow('is in use by')
    lock.release()
  }
})

test.runIf(process.platform === 'linux')(
  'without locks a node starts for one validator after --unsafe-no-lock, or for a remote signer',
  () => {
    withoutLocks()
    const [one, two] = [homeWith(1), homeWith(2)]
    expect(() => lockHome(one, LOCAL)).toThrow('No locks available')
    expect(() => lockHome(two, UNSAFE)).toThrow('is for chains with one validator')
    const unsafe = lockHome(one, UNSAFE)
    expect(unsafe).toMatchObject({ isLocked: false, wasLeft: true })
    expect(unsafe.warning).toContain('both sign, and the chain splits')
    unsafe.release()
    for (const home of [one, two])
      expect(lockHome(home, REMOTE).warning).toContain('The remote signer keeps two nodes')
  },
)
