// Holds D90.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EXIT_DAMAGED } from '../base/exitCodes.ts'
import { homePaths, type Home } from '../config/home.ts'
import { openKv } from '../store/kv.ts'
import { storeDamageOf } from './storeDamage.ts'

let home: Home
beforeEach(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-ending-')))
  const kv = openKv(home.chainStore)
  const table = kv.table('headers')
  kv.write(() => table.put(Uint8Array.of(1), new Uint8Array(20_000)))
  await kv.close()
})
afterEach(() => fs.rmSync(home.folder, { recursive: true, force: true }))

const ending = (code: number | null, signal: NodeJS.Signals | null, message?: string) => ({
  code,
  signal,
  message,
})

test('a node that ends by itself, or is killed, is started again', () => {
  const damageOf = storeDamageOf(home)
  for (let i = 0; i < 5; i++) {
    expect(damageOf(ending(1, null, 'an error'))).toBeUndefined()
    expect(damageOf(ending(null, 'SIGKILL'))).toBeUndefined()
  }
})

test('a node that says that its store is damaged is not started again', () => {
  const damage = storeDamageOf(home)(ending(EXIT_DAMAGED, null, 'record 7 is damaged'))
  expect(damage?.message).toBe('record 7 is damaged')
  expect(damage?.advice).toContain(`assay node check --home ${home.folder}`)
})

test('after a signal of memory the damage of the file is named', () => {
  const file = path.join(home.chainStore, 'data.mdb')
  fs.truncateSync(file, fs.statSync(file).size / 2)
  expect(storeDamageOf(home)(ending(null, 'SIGBUS'))?.message).toMatch(
    /^SIGBUS ended the chain node: .* lies beyond the end of the file/,
  )
})

test('a whole file gets two more starts, in case the memory was at fault', () => {
  const damageOf = storeDamageOf(home)
  expect(damageOf(ending(null, 'SIGSEGV'))).toBeUndefined()
  expect(damageOf(ending(null, 'SIGBUS'))).toBeUndefined()
  expect(damageOf(ending(null, 'SIGBUS'))?.message).toContain('its memory or its disk fails')
})
