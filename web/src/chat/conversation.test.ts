import { expect, test } from 'vitest'
import {
  bounded,
  DEFAULT_SETTINGS,
  LIMITS,
  messagesOf,
  readConversations,
  sentFor,
  titleOf,
  type Conversation,
  type Turn,
} from './conversation.ts'

const user = (text: string): Turn => ({ role: 'user', text, state: 'done' })
const answer = (text: string, state: Turn['state'] = 'done'): Turn => ({
  role: 'assistant',
  text,
  state,
})
const conversation = (time: number, turns: readonly Turn[]): Conversation => ({
  id: `c${time}`,
  time,
  settings: DEFAULT_SETTINGS,
  turns,
})

// Holds D168.
test('the latest conversations are kept, up to a number of them, of turns and of characters', () => {
  const many = Array.from({ length: 80 }, (_, at) => conversation(at, [user('hello')]))
  expect(bounded(many).map(({ time }) => time)).toEqual(
    Array.from({ length: LIMITS.conversations }, (_, at) => 79 - at),
  )
  const long = conversation(
    1,
    Array.from({ length: 500 }, (_, at) => user(`${at}`)),
  )
  expect(bounded([long])[0]?.turns).toHaveLength(LIMITS.turns)
  expect(bounded([long])[0]?.turns.at(-1)?.text).toBe('499')
  const huge = Array.from({ length: 40 }, (_, at) => conversation(at, [user('x'.repeat(200_000))]))
  const kept = bounded(huge)
  expect(kept.length).toBeLessThan(21)
  expect(kept[0]?.turns[0]?.text).toHaveLength(LIMITS.textLength)
})

test('what a reload interrupted is partial, and what is no conversation is left out', () => {
  const list = [
    conversation(2, [user('a'), answer('b', 'streaming')]),
    { id: 'x' },
    null,
    'text',
    {
      ...conversation(1, []),
      turns: [
        { role: 'system', text: 'no' },
        { role: 'user', text: 1 },
      ],
    },
  ]
  const read = readConversations(JSON.stringify(list))
  expect(read.map(({ id }) => id)).toEqual(['c2', 'c1'])
  expect(read[0]?.turns[1]?.state).toBe('partial')
  expect(read[1]?.turns).toEqual([])
  for (const text of ['', '{', 'null', '{}']) expect(readConversations(text)).toEqual([])
})

test('answers that nobody signed are not sent as if they were', () => {
  const turns = [user('a'), answer('half', 'partial'), user('b'), answer('whole'), user('c')]
  expect(messagesOf({ ...DEFAULT_SETTINGS, system: 'Be brief.' }, turns)).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'a' },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: 'whole' },
    { role: 'user', content: 'c' },
  ])
  expect(titleOf(conversation(1, turns))).toBe('a')
})

test('what was sent for an answer is known as long as all of it was kept', () => {
  const turns = [user('a'), { ...answer('b'), system: 'Be brief.' }, user('c'), answer('d')]
  expect(sentFor(turns, 1)).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'a' },
  ])
  expect(sentFor(turns, 3)).toBeUndefined()
  expect(sentFor([user('x'.repeat(LIMITS.textLength)), ...turns.slice(1)], 1)).toBeUndefined()
})
