/** Foundry's forge: a contract and a script, deployed onto Assay. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome, rpc, startAssay, type Running } from '../support/assay.ts'
import { install, run } from '../support/installed.ts'

const VERSION = '1.7.1'
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'forge-linux-amd64',
  'linux-arm64': 'forge-linux-arm64',
  'darwin-x64': 'forge-darwin-amd64',
  'darwin-arm64': 'forge-darwin-arm64',
}
const solcFolder = path.resolve(import.meta.dirname, '..', '..', 'node_modules', 'solc')

/** The compiler that is installed here, as forge calls one: nothing is downloaded. */
const SOLC = `#!${process.execPath}
const solc = require(${JSON.stringify(solcFolder)})
if (process.argv.includes('--version')) {
  console.log('solc, the solidity compiler commandline interface')
  console.log('Version: ' + solc.version().replace('Emscripten.clang', 'Linux.g++'))
} else process.stdout.write(solc.compile(require('node:fs').readFileSync(0, 'utf8')))
`

const CONTRACTS = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Box {
    uint256 public value;
    constructor(uint256 first) { value = first; }
    function store(uint256 next) external { value = next; }
}
`

const SCRIPT = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;
import {Box} from "../src/Box.sol";

interface Vm {
    function startBroadcast(uint256 key) external;
    function stopBroadcast() external;
    function envUint(string calldata name) external view returns (uint256);
}

contract Deploy {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external returns (Box box) {
        vm.startBroadcast(vm.envUint("KEY"));
        box = new Box(1);
        box.store(77);
        vm.stopBroadcast();
    }
}
`

let running: Running
let project: string
let binary: string
beforeAll(async () => {
  running = await startAssay(newHome())
  const platform = `@foundry-rs/${PLATFORMS[`${process.platform}-${process.arch}`]}`
  const folder = await install('forge', { '@foundry-rs/forge': VERSION, [platform]: VERSION })
  binary = path.join(folder, 'node_modules', platform, 'bin', 'forge')
  project = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-forge-'))
  const write = (file: string, text: string, mode = 0o644): void => {
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true })
    fs.writeFileSync(path.join(project, file), text, { mode })
  }
  write('solc.cjs', SOLC, 0o755)
  const settings = {
    src: 'src',
    script: 'script',
    evm_version: 'prague',
    offline: true,
    solc: path.join(project, 'solc.cjs'),
  }
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  )
  write('foundry.toml', `[profile.default]\n${lines.join('\n')}\n`)
  write('src/Box.sol', CONTRACTS)
  write('script/Deploy.s.sol', SCRIPT)
})
afterAll(async () => {
  await running.stop()
  fs.rmSync(project, { recursive: true, force: true })
})

const forge = (...args: readonly string[]): Promise<string> =>
  run(binary, args, {
    cwd: project,
    env: {
      ETH_RPC_URL: running.up.ethereum,
      NO_COLOR: '1',
      HOME: project,
      KEY: running.up.accounts[5]?.privateKey ?? '',
    },
  })

async function valueOf(box: string): Promise<bigint> {
  const { result } = await rpc(running.up.ethereum, 'eth_call', [{ to: box, data: '0x3fa4f245' }])
  return BigInt(String(result))
}

test('forge create deploys a contract', async () => {
  const key = running.up.accounts[6]?.privateKey ?? ''
  const output = await forge(
    'create',
    'src/Box.sol:Box',
    '--private-key',
    key,
    '--broadcast',
    '--json',
    '--constructor-args',
    '42',
  )
  const deployed = JSON.parse(output.slice(output.indexOf('{'))) as { deployedTo: string }
  expect(await valueOf(deployed.deployedTo)).toBe(42n)
})

test('forge script broadcasts what a script sends', async () => {
  await forge(
    'script',
    'script/Deploy.s.sol:Deploy',
    '--broadcast',
    '--rpc-url',
    running.up.ethereum,
  )
  const chain = String(running.up.chainId)
  const log = path.join(project, 'broadcast', 'Deploy.s.sol', chain, 'run-latest.json')
  const { receipts } = JSON.parse(fs.readFileSync(log, 'utf8')) as {
    receipts: { status: string; contractAddress: string | null }[]
  }
  expect(receipts.map(({ status }) => status)).toEqual(['0x1', '0x1'])
  expect(await valueOf(receipts[0]?.contractAddress ?? '')).toBe(77n)
})
