/** GeneralStateTests (Cancun) and the Osaka state tests, on our state transition. A sample by default; ASSAY_VECTORS_FULL=1 runs all. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { utf8 } from '../../src/base/bytes.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import type { Hardfork } from '../../src/evm/rules.ts'
import { runStateTest, type StateTest } from '../support/stateTest.ts'

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

async function runSuite(folder: string, fork: string, hardfork: Hardfork, share: number) {
  const engine = createEngine(hardfork)
  const failures: string[] = []
  let ran = 0
  for (const file of jsonFiles(folder)) {
    const isSkipped = TOO_SLOW.some((name) => file.includes(name))
    const isSlow = !FULL && ONLY === '' && SLOW.some((name) => file.includes(name))
    if (isSkipped || isSlow || !file.includes(ONLY)) continue
    const tests = JSON.parse(readFileSync(file, 'utf8')) as Record<string, StateTest>
    for (const [name, vector] of Object.entries(tests))
      for (const [index, post] of (vector.post[fork] ?? []).entries()) {
        const id = `${relative(folder, file)} ${name} ${index}`
        if (!isSampled(id, share)) continue
        ran++
        const failure = await runStateTest(engine, vector, post, hardfork).catch(String)
        if (failure !== undefined) failures.push(`${id}: ${failure}`)
      }
  }
  return { ran, failures }
}

test.each([
  ['Cancun', 'ethereum-tests/GeneralStateTests', 'cancun', 96],
  ['Osaka', 'execution-spec-tests/state_tests/osaka', 'osaka', 256],
] as const)(
  'every %s state test ends with the listed state root and logs',
  async (fork, path, hardfork, share) => {
    const folder = join(VECTORS, path)
    if (!existsSync(folder)) {
      if (REQUIRED) throw new Error(`${folder} is missing`)
      console.warn(`skipped: ${folder} is missing; set ASSAY_VECTORS to the folder of the vectors`)
      return
    }
    const { ran, failures } = await runSuite(folder, fork, hardfork, share)
    console.log(`${fork} state tests: ${ran - failures.length} of ${ran} cases pass`)
    expect(failures.slice(0, 50)).toEqual([])
    expect(ran).toBeGreaterThan(0)
  },
  3_600_000,
)
