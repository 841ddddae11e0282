// Holds D20.
/**
 * Four validators on machines of their own, which are network namespaces made here, and the network between them cut: two
 * and two decide nothing, three and one go on without the one. Afterwards all agree, nothing acknowledged is lost, and nobody
 * has signed twice. ASSAY_TORTURE_RUNS says how many times it is cut. Needs Linux, root and CometBFT.
 */
import { type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { developmentKeys } from '../../src/accounts/development.ts'
import { toHex } from '../../src/base/hex.ts'
import { addressOfPrivateKey } from '../../src/base/secp256k1.ts'
import { createHomes } from '../../src/cli/network/create.ts'
import { homePaths } from '../../src/config/home.ts'
import { eventually, mainFile, newHome, rpc } from '../support/assay.ts'
import { hasCometbft } from '../support/cometbft.ts'
import { writerTransaction } from '../support/manualNode.ts'
import { cometBlock, heightOf } from '../support/networkAudit.ts'
import { canPartition, createMachines } from './partition/namespaces.ts'
import { recordCampaign, secondsSince } from './record.ts'

const RUNS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 2)
const VALIDATORS = 4
const BLOCK_MS = 500
const isPossible = hasCometbft() && canPartition()
if (!isPossible) console.warn('skipped: no cometbft, or no right to make network namespaces')

const folder = path.join(newHome(), 'network')
const machines = isPossible ? createMachines(VALIDATORS) : undefined
const running: ChildProcess[] = []
const each = Array.from({ length: VALIDATORS }, (_, machine) => machine)
const urlOf = (machine: number): string => `http://${machines?.address(machine)}:8545`
const cometOf = (machine: number): string => `http://${machines?.address(machine)}:26657`

afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  machines?.close()
  fs.rmSync(path.dirname(path.dirname(folder)), { recursive: true, force: true })
})

/** Homes whose hosts are the addresses of the machines. */
function createNetwork(): void {
  const sender = addressOfPrivateKey(developmentKeys()[0] ?? new Uint8Array(0))
  createHomes(folder, {
    validators: VALIDATORS,
    full: 0,
    blockInterval: `${BLOCK_MS}ms`,
    snapshotInterval: 0,
    hosts: 'host-%',
    at: '/var/lib/assay',
    fund: [sender],
    rpcHost: undefined,
    database: undefined,
  })
  for (const machine of each) {
    const { configFile } = homePaths(path.join(folder, `validator${machine}`))
    const text = fs
      .readFileSync(configFile, 'utf8')
      .replaceAll(/host-validator(\d)/g, (_all, number) => machines?.address(Number(number)) ?? '')
    fs.writeFileSync(configFile, text)
  }
}

const height = (machine: number): Promise<number | undefined> =>
  heightOf(urlOf(machine)).catch(() => undefined)

/** Resolves when each of these machines is at a height. */
async function reach(who: readonly number[], goal: number): Promise<void> {
  await eventually(async () => {
    const heights = await Promise.all(who.map(height))
    return heights.every((at) => at !== undefined && at >= goal) ? true : undefined
  }, 170)
}

/** Sends the next transaction, and returns its hash once it is acknowledged. */
async function send(machine: number, nonce: number): Promise<string> {
  const { result, error } = await rpc(urlOf(machine), 'eth_sendRawTransaction', [
    toHex(writerTransaction(nonce)),
  ])
  if (error !== undefined) throw new Error(error.message)
  return result as string
}

async function isMined(machine: number, hash: string): Promise<boolean> {
  const { result } = await rpc(urlOf(machine), 'eth_getTransactionReceipt', [hash])
  return result !== null && result !== undefined
}

/** Hashes of all blocks up to a height, and pieces of evidence in them. */
async function chainOf(machine: number, last: number) {
  const hashes: string[] = []
  let evidence = 0
  for (let at = 1; at <= last; at++) {
    const { block_id: id, block } = await cometBlock(cometOf(machine), at)
    hashes.push(id.hash)
    const list = (block as { readonly evidence?: { readonly evidence?: readonly unknown[] } })
      .evidence
    evidence += list?.evidence?.length ?? 0
  }
  return { hashes, evidence }
}

test.runIf(isPossible)(
  `${RUNS} cuts of a network of four leave one chain`,
  { timeout: 240_000 + RUNS * 120_000 },
  async () => {
    if (machines === undefined) return
    createNetwork()
    for (const machine of each)
      running.push(
        machines.start(
          machine,
          [process.execPath, mainFile, 'node', '--home', path.join(folder, `validator${machine}`)],
          { ...process.env, ASSAY_LOG_LEVEL: 'error' },
        ),
      )
    await reach(each, 3)
    const recovery: number[] = []
    const hashes: string[] = []
    for (let run = 0; run < RUNS; run++) {
      const isHalf = run % 2 === 0
      hashes.push(await send(run % 2, hashes.length))
      machines.cut(isHalf ? [2, 3] : [3])
      const others = isHalf ? [0, 1] : [0, 1, 2]
      const before = Math.max(...(await Promise.all(others.map(height))).map((at) => at ?? 0))
      const sent = await send(0, hashes.length)
      hashes.push(sent)
      // Three of four decide; of two and two, neither side does, and the transaction stays where it is.
      if (!isHalf) await eventually(async () => ((await isMined(0, sent)) ? true : undefined), 170)
      // There is nothing to wait for where nothing may happen: it is watched for a while.
      else await sleep(4 * BLOCK_MS)
      const stopped = Math.max(...(await Promise.all(others.map(height))).map((at) => at ?? 0))
      if (isHalf) expect(stopped - before).toBeLessThanOrEqual(1)
      const healed = performance.now()
      machines.heal()
      await reach(each, stopped + 2)
      recovery.push(secondsSince(healed))
    }
    let lost = 0
    for (const hash of hashes)
      for (const machine of each)
        await eventually(
          async () => ((await isMined(machine, hash)) ? true : undefined),
          120,
        ).catch(() => lost++)
    const last = Math.min(...(await Promise.all(each.map(height))).map((at) => at ?? 0)) - 1
    const chains = await Promise.all(each.map((machine) => chainOf(machine, last)))
    const [first] = chains
    const forged = chains.filter(
      (chain) => JSON.stringify(chain.hashes) !== JSON.stringify(first?.hashes),
    ).length
    const doubleSigned = Math.max(...chains.map(({ evidence }) => evidence))
    recordCampaign('partition', {
      fault: 'the network between four validators cut in two, between network namespaces',
      runs: RUNS,
      lost,
      forged,
      doubleSigned,
      recovery,
      note: `two and two, then three and one, in turn; ${last} blocks compared on all four`,
    })
    console.info(
      `${RUNS} cuts, ${last} blocks, recovery ${recovery.map((s) => s.toFixed(1)).join(', ')} s`,
    )
    expect({ lost, forged, doubleSigned }).toEqual({ lost: 0, forged: 0, doubleSigned: 0 })
  },
)
