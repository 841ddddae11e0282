import { expect, test } from 'vitest'
import { checkModel } from './checkModel.ts'
import type { BundleAnswer } from './format.ts'
import { createFindings } from './report.ts'

const HASH = 'ab'.repeat(32)

function linesFor(model: string, modelHash: string, ...proven: readonly string[]) {
  const findings = createFindings('answer 1')
  findings.proves(...proven)
  checkModel(findings, { receipt: { model }, statement: { modelHash } } as BundleAnswer)
  return { lines: findings.lines, proven: findings.proven }
}

// Holds D58.
test('an answer from the pinned file holds, and proves the file where the submission is known', () => {
  const { lines, proven } = linesFor(`llama3:8b@sha256:${HASH.toUpperCase()}`, `0x${HASH}`)
  expect(lines).toMatchObject([
    { status: 'holds', text: `model "llama3:8b" is the file that the job pins, 0x${HASH}` },
  ])
  expect(proven.has('statement.modelHash')).toBe(false)
  const known = linesFor(`llama3:8b@sha256:${HASH}`, `0x${HASH}`, 'receipt.model')
  expect(known.proven.has('statement.modelHash')).toBe(true)
})

test('an answer from another file than the pinned one fails, by name', () => {
  const other = `0x${'0'.repeat(64)}`
  const { lines, proven } = linesFor(`llama3:8b@sha256:${HASH}`, other, 'receipt.model')
  expect(lines).toMatchObject([
    {
      status: 'fails',
      text: `model "llama3:8b" is the file ${other}, not the one that the job pins, 0x${HASH}`,
    },
  ])
  expect(proven.has('statement.modelHash')).toBe(false)
})

test('a name alone is not checked here', () => {
  expect(linesFor('tiny.gguf', `0x${HASH}`).lines).toEqual([])
})
