import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { UserError } from './errors.ts'
import { isAlive, isRunning, processId, sendSignal } from './processes.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a signal reaches a process; one that has ended is told by the result, not by an error', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  const id = processId(pid)
  expect(isAlive(pid)).toBe(true)
  expect(isRunning(id)).toBe(true)
  expect(sendSignal(pid, 'SIGTERM')).toBe(true)
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGTERM')
  expect(isAlive(pid)).toBe(false)
  expect(isRunning(id)).toBe(false)
  expect(sendSignal(pid, 'SIGTERM')).toBe(false)
})

test.runIf(process.platform === 'linux')('a re-used number is another process', () => {
  expect(isRunning(processId(process.pid))).toBe(true)
  expect(isRunning({ pid: process.pid, started: '1' })).toBe(false)
})

test("another user's process is alive, and a signal to it is refused with what to do", () => {
  // Stands in for the kernel, which lets the superuser, as whom tests may run, signal anybody.
  vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
  })
  expect(isAlive(4711)).toBe(true)
  expect(() => sendSignal(4711, 'SIGTERM')).toThrow(UserError)
  expect(() => sendSignal(4711, 'SIGTERM')).toThrow('process 4711: it belongs to another user')
})

test('every other failure of a signal is thrown', () => {
  expect(() => sendSignal(process.pid, 'SIGNONE' as NodeJS.Signals)).toThrow('SIGNONE')
})
