/** Compiles Solidity for tests, with imports from installed packages. */
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Abi, Hex } from 'viem'

const require = createRequire(import.meta.url)
const root = path.resolve(import.meta.dirname, '..', '..')

type Solc = {
  compile(
    input: string,
    callbacks: { import(file: string): { contents: string } | { error: string } },
  ): string
}

/** ABI and creation code of one contract of test/support/contracts. */
export function compile(contract: string): { abi: Abi; bytecode: Hex } {
  const solc: Solc = require('solc')
  const file = `${contract}.sol`
  const input = {
    language: 'Solidity',
    sources: {
      [file]: { content: fs.readFileSync(path.join(root, 'test/support/contracts', file), 'utf8') },
    },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const output = JSON.parse(
    solc.compile(JSON.stringify(input), {
      import: (name) => {
        const target = path.join(root, 'node_modules', name)
        return fs.existsSync(target)
          ? { contents: fs.readFileSync(target, 'utf8') }
          : { error: `${name} not found` }
      },
    }),
  )
  const compiled = output.contracts?.[file]?.[contract]
  if (compiled === undefined) throw new Error(JSON.stringify(output.errors, null, 2))
  return { abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}` }
}
