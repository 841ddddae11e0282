import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { takeLock } from './lock.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lock-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('a lock held by a live process is refused with its process id, and free after release', () => {
  const file = path.join(folder, 'a.lock')
  const release = takeLock(file, 'the home')
  expect(() => takeLock(file, 'the home')).toThrow(`the home is in use by process ${process.pid}`)
  release()
  takeLock(file, 'the home')()
  expect(fs.readdirSync(folder)).toEqual([])
})

test('the lock of a killed process is taken over', async () => {
  const file = path.join(folder, 'b.lock')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  fs.writeFileSync(file, JSON.stringify({ pid: child.pid, started: '' }))
  expect(() => takeLock(file, 'it')).toThrow('in use')
  child.kill('SIGKILL')
  await once(child, 'exit')
  takeLock(file, 'it')()
})

test('a re-used process id does not count as the owner', () => {
  const file = path.join(folder, 'c.lock')
  fs.writeFileSync(file, JSON.stringify({ pid: process.pid, started: '1' }))
  takeLock(file, 'it')()
})

test('a lock file of garbage is taken over', () => {
  const file = path.join(folder, 'd.lock')
  fs.writeFileSync(file, 'garbage')
  takeLock(file, 'it')()
})
