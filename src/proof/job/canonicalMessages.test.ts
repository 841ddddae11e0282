import { expect, test } from 'vitest'
import { canonicalMessages, promptText, readMessages } from './canonicalMessages.ts'

const MESSAGES = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'é "quoted"\n\u0000' },
] as const

// Holds D136.
test('a conversation has one text, in the canonical form of RFC 8785', () => {
  const text = canonicalMessages(MESSAGES)
  expect(text).toBe(
    '[{"content":"Be brief.","role":"system"},{"content":"é \\"quoted\\"\\n\\u0000","role":"user"}]',
  )
  expect(readMessages(text)).toEqual(MESSAGES)
  expect(canonicalMessages([{ ...MESSAGES[0], name: 'x' } as (typeof MESSAGES)[0]])).toBe(
    '[{"content":"Be brief.","role":"system"}]',
  )
})

test('any other text of the same conversation is none', () => {
  const canonical = canonicalMessages(MESSAGES)
  for (const text of [
    JSON.stringify(MESSAGES),
    `${canonical} `,
    '[]',
    '[{"content":"x","role":"tool"}]',
    '[{"content":"x","name":"y","role":"user"}]',
    'hello',
  ])
    expect(() => readMessages(text)).toThrow(SyntaxError)
})

test('whoever has the messages finds the hashed text, however the file lays them out', () => {
  const file = JSON.stringify(MESSAGES, undefined, 2)
  expect(promptText(file, { messages: true })).toBe(canonicalMessages(MESSAGES))
  expect(promptText(file, {})).toBe(file)
})

test('a text that is no list of messages is what a user said', () => {
  for (const text of ['hello', '[]', '[1]', '{"role":"user","content":"x"}', 'null', ''])
    expect(promptText(text, { messages: true })).toBe(
      canonicalMessages([{ role: 'user', content: text }]),
    )
})
