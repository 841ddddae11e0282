// Holds D89.
/**
 * Flipped bits, zeros, foreign and swapped pages and cuts in the store's file: a node serves and signs nothing that the whole
 * store would not have had it say, and `assay node check` names the damage, unless nothing that is read was touched.
 * ASSAY_TORTURE_RUNS says how many flips there are, ASSAY_TORTURE_SEED repeats a sequence.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { completeHome } from '../../src/cli/newHome.ts'
import { homePaths } from '../../src/config/home.ts'
import { scanStore } from '../../src/store/pages/scanStore.ts'
import { newHome } from '../support/assay.ts'
import { openManualNode, writerTransaction } from '../support/manualNode.ts'
import { createDamages, type Damage } from './damage/damages.ts'
import type { ProbeAnswer, ProbeRequest } from './damage/probe.ts'
import { createRandom } from './random.ts'
import { recordCampaign } from './record.ts'

const FLIPS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 30)
const OTHERS = Math.ceil(FLIPS / 15)
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now() % 1_000_000)
const LOADER = new URL('../support/typescript/register.mjs', import.meta.url).href
const BLOCKS = 10
const PER_BLOCK = 10

let whole: string
let copy: string
let records: Map<string, string>

beforeAll(async () => {
  whole = newHome()
  copy = newHome()
  await completeHome(homePaths(whole))
  const node = openManualNode(whole)
  for (let nonce = 0; nonce < BLOCKS * PER_BLOCK; nonce++) {
    await node.pool.add(writerTransaction(nonce))
    if ((nonce + 1) % PER_BLOCK === 0) await node.engine.produceBlock()
  }
  await node.stop()
  records = recordsOf(whole)
})
afterAll(() => {
  probe?.kill('SIGKILL')
  for (const folder of [whole, copy])
    fs.rmSync(path.dirname(folder), { recursive: true, force: true })
})

/** Every record that can be read. */
function recordsOf(home: string): Map<string, string> {
  const found = new Map<string, string>()
  scanStore(homePaths(home).chainStore, {
    onRecord: (table, key, value) =>
      found.set(`${table} ${Buffer.from(key).toString('hex')}`, Buffer.from(value).toString('hex')),
  })
  return found
}

let probe: ChildProcess | undefined

/** Asks the probe; the signal that ended it is its answer, too. */
async function ask(request: ProbeRequest): Promise<ProbeAnswer> {
  if (probe === undefined) {
    probe = fork(fileURLToPath(new URL('damage/probe.ts', import.meta.url)), {
      execArgv: ['--import', LOADER],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    if (request.type !== 'learn') await ask({ type: 'learn', folder: fresh() })
    if (request.type !== 'learn') damageAgain()
  }
  const child = probe
  const answered = new AbortController()
  const { signal } = answered
  const never = (): Promise<never> => new Promise(() => undefined)
  child.send(request)
  const outcome = await Promise.race([
    once(child, 'message', { signal }).then(([answer]) => answer as ProbeAnswer, never),
    once(child, 'exit', { signal }).then(([code, end]): ProbeAnswer => {
      probe = undefined
      return { faults: [`ended by ${String(end ?? code)}`], forged: [], hasSigned: false }
    }, never),
  ])
  answered.abort()
  return outcome
}

let damaged: Damage

/** A copy of the whole home. */
function fresh(): string {
  fs.rmSync(copy, { recursive: true, force: true })
  fs.cpSync(whole, copy, { recursive: true })
  return copy
}

/** The copy, with the damage that is tried now. */
function damageAgain(): string {
  fresh()
  fs.writeFileSync(path.join(homePaths(copy).chainStore, 'data.mdb'), damaged.bytes)
  return copy
}

const counts = { named: 0, equal: 0, refused: 0, signed: 0, forged: 0, unnamed: 0 }
const faults: string[] = []

async function attempt(damage: Damage): Promise<void> {
  damaged = damage
  const checked = await ask({ type: 'check', folder: damageAgain() })
  const isEqual = mapsEqual(recordsOf(damageAgain()), records)
  if (checked.faults.length > 0) counts.named++
  else if (isEqual) counts.equal++
  else {
    counts.unnamed++
    faults.push(`${damage.what}: not named`)
  }
  const ran = await ask({ type: 'run', folder: damageAgain() })
  if (ran.forged.length > 0) {
    counts.forged++
    faults.push(`${damage.what}: served ${ran.forged.slice(0, 3).join('; ')}`)
  }
  if (!ran.hasSigned) {
    counts.refused++
    return
  }
  counts.signed++
  const audited = await ask({ type: 'audit', folder: copy })
  const wrong = audited.faults.filter((fault) => /is not the signed one|stateRoot of/.test(fault))
  if (wrong.length > 0) faults.push(`${damage.what}: signed ${wrong.slice(0, 3).join('; ')}`)
}

function mapsEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}

test(
  `${FLIPS} flips and ${4 * OTHERS} other damages: nothing forged is served or signed, and all is named`,
  { timeout: 120_000 + FLIPS * 30_000 },
  async () => {
    const damages = createDamages(homePaths(whole).chainStore, createRandom(SEED))
    for (let run = 0; run < FLIPS; run++) await attempt(damages.flip())
    for (let run = 0; run < OTHERS; run++)
      for (const damage of [damages.zeros, damages.foreign, damages.swapped, damages.cut])
        await attempt(damage())
    console.info(`seed ${SEED}: ${JSON.stringify(counts)}`)
    recordCampaign('damage', {
      fault:
        'bits flipped in every table and kind of page; pages cleared, swapped, copied; the file cut',
      runs: FLIPS + 4 * OTHERS,
      forged: counts.forged,
      recovery: [],
      note: `seed ${SEED}; ${FLIPS} flips; named by node check ${counts.named}, without effect on any record ${counts.equal}, neither ${counts.unnamed}`,
    })
    expect(faults).toEqual([])
    expect(counts.named).toBeGreaterThan(OTHERS)
  },
)
