// Holds D67.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { ownerOf, takeLock } from './lock.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lock-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test('a lock is refused while it is held, even to its own process, and free after release', () => {
  const file = path.join(folder, 'a.lock')
  const { release } = takeLock(file, 'the home')
  expect(ownerOf(file)).toBe(process.pid)
  expect(() => takeLock(file, 'the home')).toThrow(`the home is in use by process ${process.pid}`)
  release()
  expect(ownerOf(file)).toBeUndefined()
  const again = takeLock(file, 'the home')
  expect(again.wasLeft).toBe(false)
  release()
  expect(() => takeLock(file, 'the home')).toThrow('in use')
  again.release()
})

test('only its owner may read the file', () => {
  const file = path.join(folder, 'mode.lock')
  takeLock(file, 'it').release()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
})

test('a child process that got the lock keeps it after we have released it, until it ends', async () => {
  const file = path.join(folder, 'child.lock')
  const { descriptor, release } = takeLock(file, 'it')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
  })
  await once(child, 'spawn')
  release()
  expect(() => takeLock(file, 'it')).toThrow('it is in use by another process')
  child.kill('SIGKILL')
  await once(child, 'exit')
  takeLock(file, 'it').release()
})

test('a child process that did not get the lock does not keep it', async () => {
  const file = path.join(folder, 'other.lock')
  const { release } = takeLock(file, 'it')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  release()
  takeLock(file, 'it').release()
  child.kill('SIGKILL')
})

test('the file that a killed process left is taken over, and said to be left', () => {
  const file = path.join(folder, 'left.lock')
  for (const text of [
    JSON.stringify({ pid: process.pid, started: '1' }),
    JSON.stringify({ pid: process.pid, started: '', kernelLock: true }),
    'garbage',
    '{"pid":',
  ]) {
    fs.writeFileSync(file, text)
    const lock = takeLock(file, 'it')
    expect(lock.wasLeft).toBe(true)
    lock.release()
  }
})

test('a running program that knows no locks of the kernel keeps its home', async () => {
  const file = path.join(folder, 'old.lock')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  fs.writeFileSync(file, JSON.stringify({ pid: child.pid, started: '' }))
  expect(() => takeLock(file, 'it')).toThrow(`it is in use by process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  takeLock(file, 'it').release()
})

test('an owner whose process id means nothing here is still an owner', () => {
  const file = path.join(folder, 'elsewhere.lock')
  const { release } = takeLock(file, 'it')
  fs.writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, started: '1', kernelLock: true }))
  expect(() => takeLock(file, 'it')).toThrow('cannot be seen from here')
  expect(ownerOf(file)).toBeUndefined()
  release()
})

test('a full disk keeps nobody from a lock, and any other failure leaves none behind', () => {
  const file = path.join(folder, 'full.lock')
  const failure = (code: string) => Object.assign(new Error(`${code}: write`), { code })
  const write = vi.spyOn(fs, 'writeSync')
  try {
    write.mockImplementationOnce(() => {
      throw failure('EIO')
    })
    expect(() => takeLock(file, 'it')).toThrow('EIO')
    write.mockImplementationOnce(() => {
      throw failure('ENOSPC')
    })
    const held = takeLock(file, 'it')
    expect(() => takeLock(file, 'it')).toThrow('it is in use by another process')
    held.release()
  } finally {
    write.mockRestore()
  }
  takeLock(file, 'it').release()
})

/** Programs of our own in place of flock, as a PATH. */
function programs(name: string, scripts: Readonly<Record<string, string>>): string {
  const bin = path.join(folder, name)
  fs.mkdirSync(bin)
  for (const [program, script] of Object.entries(scripts))
    fs.writeFileSync(path.join(bin, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return bin
}

const isLinux = process.platform === 'linux'

test.runIf(isLinux)(
  'where the file system has no locks, the error says so and the file is not taken',
  () => {
    vi.stubEnv(
      'PATH',
      programs('none', { flock: 'echo "flock: 3: No locks available" >&2; exit 71' }),
    )
    try {
      expect(() => takeLock(path.join(folder, 'nfs.lock'), 'it')).toThrow('No locks available')
    } finally {
      vi.unstubAllEnvs()
    }
    takeLock(path.join(folder, 'nfs.lock'), 'it').release()
  },
)

test.runIf(isLinux)(
  'without flock, perl or python3 lock; without any of them nothing is locked',
  () => {
    const file = path.join(folder, 'tools.lock')
    const held = takeLock(file, 'it')
    const real = process.env['PATH'] ?? ''
    const find = (program: string): string | undefined =>
      real
        .split(':')
        .map((each) => path.join(each, program))
        .find((each) => fs.existsSync(each))
    try {
      for (const program of ['perl', 'python3']) {
        const found = find(program)
        if (found === undefined) continue
        vi.stubEnv('PATH', programs(program, { [program]: `PATH='${real}' exec '${found}' "$@"` }))
        expect(() => takeLock(file, 'it')).toThrow('in use')
        takeLock(path.join(folder, `${program}.lock`), 'it').release()
      }
      vi.stubEnv('PATH', programs('empty', {}))
      expect(() => takeLock(file, 'it')).toThrow('flock (util-linux), perl or python3')
    } finally {
      vi.unstubAllEnvs()
      held.release()
    }
  },
)
