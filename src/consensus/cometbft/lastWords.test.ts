import { expect, test } from 'vitest'
import { createLastWords, hopelessEnd } from './lastWords.ts'
import { parseLogLine } from './logLine.ts'

function reasonOf(...lines: readonly string[]): string {
  const words = createLastWords()
  for (const line of lines) words.read(parseLogLine(line))
  return words.text()
}

// As CometBFT 0.38.25 ends when its stores are gone and the application's is not.
const STACK = [
  'goroutine 1 [running]:',
  'main.main()',
  '\tgithub.com/cometbft/cometbft@v0.38.25/cmd/cometbft/main.go:53 +0x21f',
]
const GONE =
  'failed to create node: error during handshake: error on replay: app block height (615) is higher than core (0)'

test('the reason of a panic is its own line, not the last one of the stack', () => {
  expect(reasonOf(`panic: ${GONE}`, '', ...STACK)).toBe(GONE)
  expect(reasonOf(`ERROR: ${GONE}`, `panic: ${GONE}`, '', ...STACK)).toBe(GONE)
  expect(reasonOf('fatal error: all goroutines are asleep - deadlock!', ...STACK)).toBe(
    'all goroutines are asleep - deadlock!',
  )
})

test('without a panic, the last error that was logged is the reason', () => {
  expect(
    reasonOf(
      '{"_msg":"dialing failed","err":"refused","level":"error"}',
      '{"_msg":"committed state","level":"info"}',
    ),
  ).toBe('dialing failed: refused')
  expect(reasonOf('{"_msg":"committed state","level":"info"}')).toBe('')
})

test('a reason has a maximum length', () => {
  expect(reasonOf(`panic: ${'x'.repeat(5000)}`)).toHaveLength(1000)
})

test('ends that no restart mends are said in one sentence, with what to do', () => {
  const error = hopelessEnd(GONE)
  expect(error?.message).toBe(
    'the chain of this home is at height 615, and the blocks that CometBFT keeps end at height 0: they were removed or are older',
  )
  expect(error?.advice).toContain('Restore the whole data folder')
  expect(hopelessEnd('StateBlockHeight (9) > StoreBlockHeight (7)')?.message).toContain('height 7')
  expect(hopelessEnd('StoreBlockHeight (9) > StateBlockHeight + 1 (8)')?.message).toContain('9')
  expect(hopelessEnd('dialing failed: refused')).toBeUndefined()
})
