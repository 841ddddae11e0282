import { createRequire } from 'node:module'
import { beforeAll, expect, test } from 'vitest'
import {
  completeInput,
  contractsOf,
  errorsOf,
  matchCode,
  type CompiledContract,
} from './matchCode.ts'

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
library Shift { function up(uint256 x) external pure returns (uint256) { return x << 1; } }
contract Safe {
    uint256 immutable limit;
    constructor(uint256 most) { limit = most; }
    function fits(uint256 x) external view returns (bool) { return Shift.up(x) < limit; }
}`

const compile = (source: string): unknown => {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { 'Safe.sol': { content: source } },
  })
  return JSON.parse(solc.compile(completeInput(input)))
}

let safe: CompiledContract

beforeAll(() => {
  safe = contractsOf(compile(SOURCE)).find(({ name }) => name === 'Safe')!
})

/** The code as a deployment leaves it: gaps filled. */
function deployed(contract: CompiledContract): string {
  let digits = contract.deployed
  for (const { start, length } of contract.gaps)
    digits = digits.slice(0, start * 2) + 'ab'.repeat(length) + digits.slice((start + length) * 2)
  return `0x${digits}`
}

test('code matches whatever its immutable values and libraries are', () => {
  expect(safe.gaps.length).toBeGreaterThan(1)
  expect(matchCode(safe, deployed(safe))).toBe('exact')
})

test('a comment more is the same code from other sources', () => {
  const other = contractsOf(compile(`${SOURCE} // more`)).find(({ name }) => name === 'Safe')!
  expect(matchCode(other, deployed(safe))).toBe('code')
})

test('one byte less or another one is no match', () => {
  const code = deployed(safe)
  expect(matchCode(safe, code.slice(0, -2))).toBe('none')
  expect(matchCode(safe, `0x61${code.slice(4)}`)).toBe('none')
  expect(matchCode(safe, '0x')).toBe('none')
})

test('what is no input is refused, and errors of the compiler are told', () => {
  expect(() => completeInput('{}')).toThrow('no sources')
  expect(() => completeInput('[')).toThrow(SyntaxError)
  expect(errorsOf(compile('contract {'))[0]).toContain('ParserError')
  expect(contractsOf({})).toEqual([])
  expect(contractsOf(null)).toEqual([])
})
