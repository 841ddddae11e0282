/**
 * Simulated networks, one for each seed. ASSAY_SIMULATION_SEEDS says how many, ASSAY_SIMULATION_FIRST where to begin: a
 * failure names its seed, and happens again under it. ASSAY_SIMULATION_MS is the virtual time of faults: many short lives meet
 * more than few long ones.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { simulate, type SimulationReport } from './simulate.ts'

const SEEDS = Number(process.env.ASSAY_SIMULATION_SEEDS ?? 200)
const DURATION = Number(process.env.ASSAY_SIMULATION_MS ?? 400)
const FIRST = Number(process.env.ASSAY_SIMULATION_FIRST ?? 1)
/** What happens on average holds for many seeds, not for the one that is run again. */
const MANY = 20

async function runSeeds(
  count: number,
  run: (seed: number) => Promise<SimulationReport>,
): Promise<SimulationReport> {
  const before = process.cpuUsage()
  const sum = {
    blocks: 0,
    transactions: 0,
    rounds: 0,
    crashes: 0,
    restored: 0,
    flipped: 0,
    noticed: 0,
  }
  for (let seed = FIRST; seed < FIRST + count; seed++) {
    let report: SimulationReport
    try {
      report = await run(seed)
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error })
    }
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += report[key]
  }
  const { user, system } = process.cpuUsage(before)
  const cpu = ((user + system) / 1000 / count).toFixed(0)
  console.log(`${count} seeds, ${cpu} ms of processor time each: ${JSON.stringify(sum)}`)
  return sum
}

test('four nodes stay one chain under delays, losses, partitions, crashes and lying proposers', async () => {
  const { blocks, crashes, rounds } = await runSeeds(SEEDS, (seed) =>
    simulate({ seed, duration: DURATION }),
  )
  if (SEEDS < MANY) return
  expect(blocks).toBeGreaterThan(SEEDS)
  expect(rounds).toBeGreaterThan(blocks)
  expect(crashes).toBeGreaterThan(SEEDS)
}, 600_000)

test('a late node restores a snapshot amid all that, and follows', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-simulation-'))
  try {
    const { restored } = await runSeeds(Math.ceil(SEEDS / 10), (seed) =>
      simulate({ seed, duration: 2500, snapshotFolder: path.join(folder, String(seed)) }),
    )
    if (SEEDS >= MANY) expect(restored).toBeGreaterThan(SEEDS / 50)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}, 600_000)

test('nodes whose stores are files, under locks of the kernel, stay one chain when bits flip', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-simulation-'))
  try {
    await runSeeds(Math.ceil(SEEDS / 40), (seed) =>
      simulate({ seed, duration: DURATION, storeFolder: path.join(folder, String(seed)) }),
    )
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}, 600_000)

/** Numbers of validators whose cost is compared. */
const SIZES = [4, 10, 25, 50, 100]

test('a hundred validators stay one chain under the same faults', async () => {
  const rows = []
  for (const validators of SIZES) {
    const before = process.cpuUsage()
    const { blocks, crashes, transactions } = await simulate({
      seed: FIRST,
      duration: DURATION,
      validators,
    })
    const { user, system } = process.cpuUsage(before)
    const perBlock = (user + system) / 1000 / blocks / (validators + 1)
    rows.push({
      validators,
      blocks,
      transactions,
      crashes,
      'ms per block and node': perBlock.toFixed(2),
    })
  }
  console.table(rows)
  expect(rows.every(({ blocks }) => blocks > 0)).toBe(true)
}, 600_000)
