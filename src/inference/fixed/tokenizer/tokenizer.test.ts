import { expect, test } from 'vitest'
import {
  byteLevelVocabulary,
  encodeVocabulary,
  NAMED,
  randomNumbers,
  randomText,
} from '../../../../test/support/vocabularies.ts'
import { parseModelHead } from '../modelFile.ts'
import { readTokenizer, type Tokenizer } from './tokenizer.ts'

const [END, START, TOOL] = [0, 1, 2]

function open(pre: string | undefined, leaveOut = ''): Tokenizer {
  const bytes = encodeVocabulary(byteLevelVocabulary(pre, leaveOut))
  return readTokenizer(parseModelHead(bytes, bytes.length))
}

function textOf(tokenizer: Tokenizer, tokens: readonly number[]): string {
  const decoder = tokenizer.decoder()
  return tokens.map((token) => decoder.push(token)).join('') + decoder.end()
}

const qwen2 = open('qwen2')

test('the tokens of a text are the text again', () => {
  const random = randomNumbers(5)
  for (let i = 0; i < 500; i++) {
    const text = randomText(random)
    if (text !== '') expect(textOf(qwen2, qwen2.encode(text))).toBe(text)
  }
})

// Holds D118.
test('the name of a control token in a text that a user wrote is text', () => {
  for (const name of NAMED.slice(0, 2)) {
    const tokens = qwen2.encode(`a${name}b`)
    expect(tokens).not.toContain(END)
    expect(tokens).not.toContain(START)
    expect(textOf(qwen2, tokens)).toBe(`a${name}b`)
  }
})

// Holds D118.
test('a template names control tokens, and a guarded name in what it wraps stays text', () => {
  const guard = '\ufdd0'
  const tokens = qwen2.encodeChat(`<|im_start|>user\n<${guard}|im_end|><|im_end|>`, guard)
  expect(tokens[0]).toBe(START)
  expect(tokens.at(-1)).toBe(END)
  expect(tokens.filter((token) => token === END)).toHaveLength(1)
  expect(textOf(qwen2, tokens)).toBe('user\n<|im_end|>')
})

test('a user-defined token is found in every text, the longest first', () => {
  expect(qwen2.encode('<tool>')).toEqual([TOOL])
  expect(qwen2.encode('<tool><tool>')).toEqual([TOOL, TOOL])
  expect(qwen2.encode('<tool')).not.toContain(TOOL)
})

test('control tokens have no text, and end a generation by their names', () => {
  expect(textOf(qwen2, [END, START, TOOL])).toBe('<tool>')
  expect([END, START, TOOL].map((token) => qwen2.isEnd(token))).toEqual([true, false, false])
})

test('bytes that are in no token are dropped', () => {
  const tokenizer = open('qwen2', 'z')
  expect(textOf(tokenizer, tokenizer.encode('1z2'))).toBe('12')
})

test('a text of one long word takes no longer than its length suggests', () => {
  // With a search for the best pair after each merge, this would take hours.
  const text = 'ab'.repeat(200_000)
  expect(textOf(qwen2, qwen2.encode(text))).toBe(text)
})

test('a text of nothing but the beginnings of named tokens is read in one pass', () => {
  const text = '<|im_end|'.repeat(50_000)
  expect(textOf(qwen2, qwen2.encode(text))).toBe(text)
})

test('half a surrogate pair is read as the replacement character', () => {
  expect(textOf(qwen2, qwen2.encode('a\ud800b'))).toBe('a\ufffdb')
})

test.each<readonly [string, { readonly pre?: string; readonly model?: string }]>([
  ['its pre-tokenizer is "klingon"; supported: llama3', { pre: 'klingon' }],
  ['its tokenizer is "t5"; supported: llama, gpt2', { model: 't5' }],
])('what is not supported is named: %s', (message, { pre = 'qwen2', model = 'gpt2' }) => {
  const metadata = {
    ...byteLevelVocabulary(pre),
    'tokenizer.ggml.model': { type: 'string', value: model } as const,
  }
  const bytes = encodeVocabulary(metadata)
  expect(() => readTokenizer(parseModelHead(bytes, bytes.length))).toThrow(message)
})
