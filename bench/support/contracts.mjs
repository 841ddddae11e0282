// The contracts of bench/contracts/, compiled for their code at run time: the genesis puts it in place, no deployment needed.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { cachedLines } from './cache.mjs'

const require = createRequire(import.meta.url)
const root = path.resolve(import.meta.dirname, '..', '..')

function importFile(name) {
  const file = path.join(root, 'node_modules', name)
  return fs.existsSync(file)
    ? { contents: fs.readFileSync(file, 'utf8') }
    : { error: `${name} is not installed` }
}

function compile(name, content) {
  const input = {
    language: 'Solidity',
    sources: { [name]: { content } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(require('solc').compile(JSON.stringify(input), { import: importFile }))
  const contract = output.contracts?.[name]?.[name]
  if (contract === undefined) throw new Error(JSON.stringify(output.errors, null, 2))
  return `0x${contract.evm.deployedBytecode.object}`
}

/** Code of a contract of bench/contracts/ as it stands on a chain, in hex. */
export function runtimeCode(name) {
  const content = fs.readFileSync(path.join(root, 'bench', 'contracts', `${name}.sol`), 'utf8')
  const { version } = require('solc/package.json')
  const [code] = cachedLines('code', { name, content, version }, () => [compile(name, content)])
  return code
}
