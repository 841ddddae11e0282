import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatLogLine, isAtLeast, parseLogLine } from './line.ts'
import { followFrom, lastLines } from './tail.ts'

let folder: string
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-tail-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const TEXT =
  '{"level":40,"time":"2023-11-14T22:13:20.123Z","name":"node","msg":"slow","method":"eth_call","ms":12}'

test('a line shows time, program, level, message and what else it says', () => {
  const line = parseLogLine(TEXT)
  expect(line && formatLogLine('node', line, false)).toBe(
    '22:13:20.123 node       warn  slow  method=eth_call  ms=12',
  )
  expect(parseLogLine('  at somewhere (file.js:1:2)')).toBeUndefined()
  expect(parseLogLine('{"time":1}')).toBeUndefined()
})

test('what a stranger wrote into a line moves no cursor, breaks no line and turns no text around', () => {
  const nasty = '\u001b[2J\u001b]0;title\u0007a\r\nb\u202ec'
  const line = parseLogLine(
    JSON.stringify({ level: 30, time: '1970-01-01T00:00:00Z', msg: nasty, name: 'node' }),
  )
  const shown = line === undefined ? '' : formatLogLine('node', line, false)
  // oxlint-disable-next-line no-control-regex -- none may be left
  expect(shown).not.toMatch(/[\u0000-\u001f\u202e]/)
  expect(shown).toMatch(/a {2}b c$/)
})

test('severity is ordered, fatal above all', () => {
  expect(isAtLeast('fatal', 'error')).toBe(true)
  expect(isAtLeast('info', 'info')).toBe(true)
  expect(isAtLeast('debug', 'info')).toBe(false)
})

test('the last lines of a file come without a half one, which follows when it is whole', () => {
  const file = path.join(folder, 'a.log')
  fs.writeFileSync(file, 'one\ntwo\nthree\nfo')
  const { lines, end } = lastLines(file, 2)
  expect(lines).toEqual(['two', 'three'])
  const tail = followFrom(file, end)
  expect(tail.read()).toEqual([])
  fs.appendFileSync(file, 'ur\nfive\n')
  expect(tail.read()).toEqual(['four', 'five'])
  fs.writeFileSync(file, 'new\n')
  expect(tail.read()).toEqual(['new'])
})

test('a file that is not there yet is empty, and read from its beginning when it comes', () => {
  const file = path.join(folder, 'b.log')
  expect(lastLines(file, 5)).toEqual({ lines: [], end: 0 })
  const tail = followFrom(file, 0)
  expect(tail.read()).toEqual([])
  fs.writeFileSync(file, 'first\n')
  expect(tail.read()).toEqual(['first'])
})
