import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { verifyMessage } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { utf8 } from '../base/bytes.ts'
import type { Clock } from '../base/clock.ts'
import { toHex } from '../base/hex.ts'
import { messageSigner } from '../base/personalMessage.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { createAccounts, type Accounts, type AccountSigner, type UnlockScope } from './accounts.ts'
import { createDevelopmentAccounts, developmentKeys } from './development.ts'
import { openKeystore, type Keystore } from './keystore.ts'

type TestClock = Clock & { advance(milliseconds: number): void; readonly slept: number[] }

function createTestClock(): TestClock {
  let now = 0
  let timers: { at: number; callback: () => void }[] = []
  const slept: number[] = []
  return {
    slept,
    now: () => 0n,
    monotonic: () => now,
    setTimer(milliseconds, callback) {
      const timer = { at: now + milliseconds, callback }
      timers.push(timer)
      return () => (timers = timers.filter((other) => other !== timer))
    },
    async sleep(milliseconds) {
      slept.push(milliseconds)
    },
    advance(milliseconds) {
      now += milliseconds
      for (const timer of timers.filter(({ at }) => at <= now)) timer.callback()
      timers = timers.filter(({ at }) => at > now)
    },
  }
}

let home: string
let keystore: Keystore
let address: Uint8Array
const PASSPHRASE = 'correct horse'
const MESSAGE = utf8('hello')

beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-accounts-'))
  keystore = openKeystore(path.join(home, 'keystore'), 'light')
  address = await keystore.add(new Uint8Array(32).fill(9), PASSPHRASE)
})
afterAll(() => fs.rmSync(home, { recursive: true }))

function open(scope: UnlockScope = 'anyone'): { accounts: Accounts; clock: TestClock } {
  const clock = createTestClock()
  return { accounts: createAccounts(keystore, { scope, clock }), clock }
}

function requireSigner(accounts: Accounts, principal?: string): AccountSigner {
  const signer = accounts.signer(address, principal)
  if (typeof signer === 'string') throw new Error(signer)
  return signer
}

test('an account is locked until it is unlocked, and again when the time is up', async () => {
  const { accounts, clock } = open()
  expect(accounts.signer(address, undefined)).toBe('locked')
  await accounts.unlock(address, PASSPHRASE, 300, undefined)
  const signer = requireSigner(accounts)
  clock.advance(299_999)
  expect(signer.signMessage(MESSAGE)).toHaveLength(65)
  clock.advance(1)
  expect(accounts.signer(address, undefined)).toBe('locked')
  expect(() => signer.signMessage(MESSAGE)).toThrow('authentication needed')
})

test('a second unlock moves the end, but an unlock until exit stays one', async () => {
  const { accounts, clock } = open()
  await accounts.unlock(address, PASSPHRASE, 10, undefined)
  await accounts.unlock(address, PASSPHRASE, 100, undefined)
  clock.advance(50_000)
  requireSigner(accounts)
  await accounts.unlock(address, PASSPHRASE, undefined, undefined)
  await accounts.unlock(address, PASSPHRASE, 1, undefined)
  clock.advance(1e12)
  requireSigner(accounts)
  accounts.lock(address)
  expect(accounts.signer(address, undefined)).toBe('locked')
  accounts.lock(address)
})

test('a signature is recovered to its account, by us and by an independent library', async () => {
  const { accounts } = open()
  const signature = await accounts.withPassphrase(address, PASSPHRASE, (signer) =>
    signer.signMessage(MESSAGE),
  )
  expect(messageSigner(MESSAGE, signature)).toEqual(address)
  expect(verifyMessage('hello', toHex(signature)).toLowerCase()).toBe(toHex(address))
  expect(messageSigner(MESSAGE, signature.subarray(1))).toBeUndefined()
})

test('signing with a passphrase leaves the account locked, and its signer dead', async () => {
  const { accounts } = open()
  const kept = await accounts.withPassphrase(address, PASSPHRASE, (signer) => signer)
  expect(accounts.signer(address, undefined)).toBe('locked')
  expect(() => kept.signMessage(MESSAGE)).toThrow()
})

// Holds D14.
test('in the scope of principals an unlock serves only who made it', async () => {
  const { accounts } = open('principal')
  await accounts.unlock(address, PASSPHRASE, 300, 'token:a')
  requireSigner(accounts, 'token:a')
  expect(accounts.signer(address, 'token:b')).toBe('locked')
  expect(accounts.signer(address, undefined)).toBe('locked')
  await expect(accounts.unlock(address, PASSPHRASE, 300, undefined)).rejects.toThrow(
    'authentication needed',
  )
  accounts.lock(address)
  expect(accounts.signer(address, 'token:a')).toBe('locked')
})

// Holds D43.
test('wrong passphrases are slowed, up to two seconds, and never lock the account out', async () => {
  const { accounts, clock } = open()
  for (let i = 0; i < 6; i++)
    await expect(accounts.unlock(address, 'wrong', 300, undefined)).rejects.toThrow(
      'could not decrypt key with given password',
    )
  expect(clock.slept).toEqual([125, 250, 500, 1000, 2000, 2000])
  await accounts.unlock(address, PASSPHRASE, 300, undefined)
  await expect(accounts.unlock(address, 'wrong', 300, undefined)).rejects.toThrow()
  expect(clock.slept.at(-1)).toBe(125)
})

test('unknown accounts are named as such', async () => {
  const { accounts } = open()
  const unknown = new Uint8Array(20)
  expect(accounts.signer(unknown, undefined)).toBe('unknown')
  await expect(accounts.unlock(unknown, 'x', 300, undefined)).rejects.toThrow(
    'no key for given address or file',
  )
})

test('importing a known key needs its own passphrase, and new accounts start locked', async () => {
  const { accounts } = open()
  const known = (): Uint8Array => new Uint8Array(32).fill(9)
  expect(await accounts.importKey(known(), PASSPHRASE)).toEqual(address)
  await expect(accounts.importKey(known(), 'other')).rejects.toThrow('account already exists')
  const created = await accounts.create('new')
  expect(accounts.signer(created, undefined)).toBe('locked')
  const given = new Uint8Array(32).fill(4)
  expect(await accounts.importKey(given, 'x')).toEqual(
    addressOfPrivateKey(new Uint8Array(32).fill(4)),
  )
  expect(given).toEqual(new Uint8Array(32))
})

test('development accounts are unlocked without their passphrase quickly', async () => {
  const folder = path.join(home, 'development')
  const addresses = await createDevelopmentAccounts(folder, 'x')
  const accounts = createAccounts(openKeystore(folder), { scope: 'anyone' })
  const started = performance.now()
  accounts.unlockWith(developmentKeys())
  expect(performance.now() - started).toBeLessThan(2000)
  expect(addresses.map((one) => typeof accounts.signer(one, undefined))).toEqual(
    Array.from({ length: 10 }, () => 'object'),
  )
  accounts.close()
  expect(accounts.signer(addresses[0] ?? address, undefined)).toBe('locked')
})

test('development accounts stay locked where strangers can reach the node', async () => {
  const folder = path.join(home, 'development')
  const [first = address] = await createDevelopmentAccounts(folder, 'x')
  const accounts = createAccounts(openKeystore(folder), { scope: 'principal' })
  accounts.unlockWith(developmentKeys())
  expect(accounts.signer(first, 'token:a')).toBe('locked')
})
