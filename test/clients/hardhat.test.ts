/** A small Hardhat project: compile, deploy and test on a network that is Assay. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newHome, startAssay, type Running } from '../support/assay.ts'
import { install, run } from '../support/installed.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const compiler = path.join(root, 'node_modules', 'solc', 'soljson.js')

const ANALYZER_VERSION = '0.1.2'
const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
}

/** The compiler that is installed here, so that nothing is downloaded. */
const CONFIG = `
require('@nomicfoundation/hardhat-ethers')
const { subtask } = require('hardhat/config')
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names')
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: process.env.SOLJSON,
  isSolcJs: true,
  version: solcVersion,
  longVersion: solcVersion,
}))
module.exports = {
  solidity: { version: '0.8.37', settings: { evmVersion: 'prague' } },
  defaultNetwork: 'assay',
  networks: { assay: { url: process.env.ASSAY_URL, accounts: process.env.ASSAY_KEY ? [process.env.ASSAY_KEY] : 'remote' } },
  mocha: { timeout: 60000 },
}
`

const CONTRACT = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

contract Box {
    event Stored(address indexed by, uint256 value);
    error TooLarge(uint256 limit);
    uint256 public value;

    function store(uint256 next) external {
        if (next > 1000) revert TooLarge(1000);
        value = next;
        emit Stored(msg.sender, next);
    }
}
`

const TEST = `
const assert = require('node:assert')
const { ethers, network } = require('hardhat')

describe('Box on ' + network.name, () => {
  let box
  before(async () => {
    box = await ethers.deployContract('Box')
    await box.waitForDeployment()
  })
  it('stores and tells of it', async () => {
    const receipt = await (await box.store(42)).wait()
    assert.equal(await box.value(), 42n)
    const [signer] = await ethers.getSigners()
    const [event] = await box.queryFilter('Stored', receipt.blockNumber)
    assert.equal(event.args.by, signer.address)
  })
  it('refuses with a custom error', async () => {
    const refused = (error) => box.interface.parseError(error.data).name === 'TooLarge'
    await assert.rejects(box.store.staticCall(2000), refused)
  })
  it('finds what stands behind its address', async () => {
    assert.notEqual(await ethers.provider.getCode(await box.getAddress()), '0x')
    assert.equal(await network.provider.send('eth_chainId'), process.env.ASSAY_CHAIN)
  })
})
`

const HELPERS_VERSION = '1.1.2'

/** With the helpers of Hardhat, as suites for its own network are written. */
const FIXTURES = `
const assert = require('node:assert')
const { ethers, network } = require('hardhat')
const helpers = require('@nomicfoundation/hardhat-network-helpers')

describe('Fixtures on ' + network.name, () => {
  async function deploy() {
    const box = await ethers.deployContract('Box')
    await box.store(1)
    return { box }
  }
  for (const value of [41, 42])
    it('starts from the same box: ' + value, async () => {
      const { box } = await helpers.loadFixture(deploy)
      assert.equal(await box.value(), 1n)
      await box.store(value)
      assert.equal(await box.value(), BigInt(value))
    })
  it('moves the time', async () => {
    const { box } = await helpers.loadFixture(deploy)
    const before = await helpers.time.latest()
    await helpers.time.increase(3600)
    assert.equal(await helpers.time.latest() >= before + 3600, true)
    await helpers.time.setNextBlockTimestamp(before + 10000)
    const receipt = await (await box.store(3)).wait()
    assert.equal((await receipt.getBlock()).timestamp, before + 10000)
    const height = await helpers.time.latestBlock()
    await helpers.mine(5)
    assert.equal(await helpers.time.latestBlock(), height + 5)
  })
  it('sends in the name of anybody', async () => {
    const { box } = await helpers.loadFixture(deploy)
    const whale = '0x00000000000000000000000000000000000a11ce'
    await helpers.setBalance(whale, ethers.parseEther('3'))
    await helpers.impersonateAccount(whale)
    const receipt = await (await box.connect(await ethers.getSigner(whale)).store(7)).wait()
    assert.equal(receipt.from.toLowerCase(), whale)
    await helpers.setStorageAt(await box.getAddress(), 0, 99)
    assert.equal(await box.value(), 99n)
    const snapshot = await helpers.takeSnapshot()
    await box.store(8)
    await snapshot.restore()
    assert.equal(await box.value(), 99n)
  })
})
`

let running: Running
let rehearsal: Running
let project: string
beforeAll(async () => {
  running = await startAssay(newHome())
  rehearsal = await startAssay(newHome(), ['--dev'])
  const analyzer = `@nomicfoundation/solidity-analyzer-${PLATFORMS[`${process.platform}-${process.arch}`]}`
  const folder = await install('hardhat2-helpers', {
    hardhat: '2.26.3',
    '@nomicfoundation/hardhat-ethers': '3.0.9',
    '@nomicfoundation/hardhat-network-helpers': HELPERS_VERSION,
    [analyzer]: ANALYZER_VERSION,
    ethers: '6.17.0',
  })
  project = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-hardhat-'))
  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(project, file)), { recursive: true })
    fs.writeFileSync(path.join(project, file), text)
  }
  write('package.json', '{ "private": true }')
  write('hardhat.config.js', CONFIG)
  write('contracts/Box.sol', CONTRACT)
  write('test/box.js', TEST)
  write('fixtures/box.js', FIXTURES)
  fs.symlinkSync(path.join(folder, 'node_modules'), path.join(project, 'node_modules'))
})
afterAll(async () => {
  await running.stop()
  await rehearsal.stop()
  fs.rmSync(project, { recursive: true, force: true })
})

/** Without a key Hardhat sends by the accounts of the node, which is how it impersonates. */
const hardhat = (
  { up }: Running,
  key: string | undefined,
  ...args: readonly string[]
): Promise<string> =>
  run(
    process.execPath,
    [path.join(project, 'node_modules', 'hardhat', 'internal', 'cli', 'bootstrap.js'), ...args],
    {
      cwd: project,
      env: {
        ASSAY_URL: up.ethereum,
        ASSAY_KEY: key ?? '',
        ASSAY_CHAIN: `0x${up.chainId.toString(16)}`,
        SOLJSON: compiler,
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        HOME: project,
      },
    },
  )

test('Hardhat compiles a project, deploys it and runs its tests', async () => {
  const key = running.up.accounts[4]?.privateKey
  expect(await hardhat(running, key, 'compile')).toContain('Compiled 1 Solidity file')
  const output = await hardhat(running, key, 'test')
  expect(output).toContain('Box on assay')
  expect(output).toContain('3 passing')
})

test('a suite with fixtures runs on a chain for development', async () => {
  const output = await hardhat(rehearsal, undefined, 'test', 'fixtures/box.js')
  expect(output).toContain('4 passing')
})
