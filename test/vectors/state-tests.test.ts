/**
 * GeneralStateTests and the state tests of execution-spec-tests, on our state transition: every fork that a file lists, from
 * Berlin to Osaka. A sample by default; ASSAY_VECTORS_FULL=1 runs all.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { utf8 } from '../../src/base/bytes.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { hardforkNamed, runStateTest } from '../support/stateTest.ts'
import type { StateTest } from '../support/stateTestJson.ts'

const VECTORS = process.env['ASSAY_VECTORS'] ?? '../shared/vectors'
const REQUIRED = process.env['ASSAY_VECTORS_REQUIRED'] === '1'
const FULL = process.env['ASSAY_VECTORS_FULL'] === '1'
/** Only files whose path contains this text. */
const ONLY = process.env['ASSAY_VECTORS_ONLY'] ?? ''

/** 2^32 - 1 rounds of blake2: minutes in JavaScript, hours in this engine. */
const TOO_SLOW = ['CALLBlake2f_MaxRounds']

/** Heavy loops that only the full run does. */
const SLOW = [
  'stTimeConsuming',
  'stQuadraticComplexityTest',
  'stAttackTest',
  'vmPerformance',
  '50000',
]

function jsonFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
    .sort()
}

/** Whether a case is in the sample: `share` of 256 by the hash of its name. */
function isSampled(id: string, share: number): boolean {
  return FULL || (keccak256(utf8(id))[0] as number) < share
}

async function runSuite(folder: string, share: number) {
  const engine = createEngine()
  const failures: string[] = []
  /** Cases by fork: what passed, and what is for forks before ours. */
  const passed: Record<string, number> = {}
  const left: Record<string, number> = {}
  for (const file of jsonFiles(folder)) {
    const isSkipped = TOO_SLOW.some((name) => file.includes(name))
    const isSlow = !FULL && ONLY === '' && SLOW.some((name) => file.includes(name))
    if (isSkipped || isSlow || !file.includes(ONLY)) continue
    const tests = JSON.parse(readFileSync(file, 'utf8')) as Record<string, StateTest>
    for (const [name, vector] of Object.entries(tests))
      for (const [fork, posts] of Object.entries(vector.post)) {
        for (const [index, post] of posts.entries()) {
          const id = `${relative(folder, file)} ${name} ${index}`
          if (!isSampled(id, share)) continue
          if (hardforkNamed(fork) === undefined) {
            left[fork] = (left[fork] ?? 0) + 1
            continue
          }
          const failure = await runStateTest(engine, vector, post, fork).catch(String)
          if (failure === undefined) passed[fork] = (passed[fork] ?? 0) + 1
          else failures.push(`${fork} ${id}: ${failure}`)
        }
      }
  }
  return { passed, left, failures }
}

test.each([
  ['GeneralStateTests', 'ethereum-tests/GeneralStateTests', 96],
  ['execution-spec-tests', 'execution-spec-tests/state_tests', 256],
] as const)(
  'every state test of %s ends with the listed state root and logs',
  async (suite, path, share) => {
    const folder = join(VECTORS, path)
    if (!existsSync(folder)) {
      if (REQUIRED) throw new Error(`${folder} is missing`)
      console.warn(`skipped: ${folder} is missing; set ASSAY_VECTORS to the folder of the vectors`)
      return
    }
    const { passed, left, failures } = await runSuite(folder, share)
    console.log(
      `${suite}, cases that pass: ${JSON.stringify(passed)}; that fail: ${failures.length}; of forks before Berlin, not run: ${JSON.stringify(left)}`,
    )
    expect(failures.slice(0, 50)).toEqual([])
    expect(Object.keys(passed).length).toBeGreaterThan(0)
  },
  3_600_000,
)
