// Holds D111.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatLogLine, isAtLeast, parseLogLine } from './line.ts'
import { rotateIfLarge } from './rotate.ts'
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

const read = (file: string) => fs.readFileSync(file, 'utf8')

test('a log that has grown too large is rotated, so many are kept, and no line is lost', () => {
  const file = path.join(folder, 'c.log')
  const output = fs.openSync(file, 'a', 0o600)
  const rotation = { maxSize: 100, keep: 3 }
  const lines = Array.from({ length: 60 }, (_, i) => `line ${i} of a program that writes on`)
  const tail = followFrom(file, 0)
  const seen: string[] = []
  for (const [index, line] of lines.entries()) {
    // The program keeps its file open, whatever becomes of the name.
    fs.writeSync(output, `${line}\n`)
    if (index % 2 === 0) seen.push(...tail.read())
    rotateIfLarge(file, rotation)
    expect(fs.statSync(file).size).toBeLessThan(100)
  }
  fs.closeSync(output)
  seen.push(...tail.read())
  expect(seen).toEqual(lines)
  const names = fs.readdirSync(folder).filter((name) => name.startsWith('c.log'))
  expect(names.toSorted()).toEqual(['c.log', 'c.log.1', 'c.log.2', 'c.log.3'])
  const kept = [`${file}.3`, `${file}.2`, `${file}.1`, file].map(read).join('')
  expect(kept).toBe(lines.slice(-kept.trimEnd().split('\n').length).join('\n').concat('\n'))
  for (const name of names) expect(fs.statSync(path.join(folder, name)).mode & 0o077).toBe(0)
})

test('a rotation that ended before it cut the log has the lines twice, and the next one goes on', () => {
  const file = path.join(folder, 'd.log')
  fs.writeFileSync(file, 'x'.repeat(200))
  fs.copyFileSync(file, `${file}.1`)
  fs.writeFileSync(`${file}.partial`, 'half')
  expect(rotateIfLarge(file, { maxSize: 100, keep: 2 })).toBe(true)
  expect(read(file)).toBe('')
  expect([read(`${file}.1`), read(`${file}.2`)]).toEqual(['x'.repeat(200), 'x'.repeat(200)])
  expect(fs.existsSync(`${file}.partial`)).toBe(false)
})

test('a log below its size, or without a limit, is left alone, and keeping none empties it', () => {
  const file = path.join(folder, 'e.log')
  expect(rotateIfLarge(file, { maxSize: 1, keep: 1 })).toBe(false)
  fs.writeFileSync(file, 'some lines')
  expect(rotateIfLarge(file, { maxSize: 100, keep: 1 })).toBe(false)
  expect(rotateIfLarge(file, { maxSize: 0, keep: 1 })).toBe(false)
  expect(rotateIfLarge(file, { maxSize: 10, keep: 0 })).toBe(true)
  expect(read(file)).toBe('')
  expect(fs.existsSync(`${file}.1`)).toBe(false)
})
