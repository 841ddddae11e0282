import { expect, test } from 'vitest'
import { parseLogLine } from './logLine.ts'

test('a line of CometBFT keeps its level, its words and its fields', () => {
  const line =
    '{"_msg":"Stopping peer for error","err":"EOF","level":"error","module":"p2p","ts":"2026-11-21T06:50:55Z"}'
  expect(parseLogLine(line)).toEqual({
    level: 'error',
    message: 'Stopping peer for error: EOF',
    fields: { module: 'p2p' },
  })
  expect(parseLogLine('{"_msg":"indexed block events","level":"info","height":8}')).toEqual({
    level: 'info',
    message: 'indexed block events',
    fields: { height: 8 },
  })
})

test('whatever Go itself prints is an error', () => {
  for (const line of ['panic: runtime error', '17', '{"level":"error"}'])
    expect(parseLogLine(line)).toMatchObject({ level: 'error', message: line })
})
