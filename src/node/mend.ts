/** `assay node check`: checks the chain of a stopped home completely, and replaces a damaged store by a rebuilt one. */
import fs from 'node:fs'
import { UserError } from '../base/errors.ts'
import { syncFolder } from '../base/files.ts'
import type { Home } from '../config/home.ts'
import { openKv } from '../store/kv.ts'
import { scanStore, type StoreFault } from '../store/pages/scanStore.ts'
import { migrateSchema } from '../store/schema.ts'
import { unsealRecord } from '../store/seal.ts'
import { checkBlocks, firstBlock } from './check.ts'
import { describeDamage } from '../consensus/scrub/describeDamage.ts'
import { isOnlyState, mendState } from './mendState.ts'
import { openOffline, salvage, type OfflineChain } from './offline.ts'
import { rebuild } from './rebuild.ts'

export type CheckReport = {
  readonly first: number
  readonly last: number
  readonly faults: readonly string[]
  /** Where the damaged store was moved; undefined unless it was replaced. */
  readonly damagedStore: string | undefined
  /** Why the blocks were not re-executed; undefined if they were. */
  readonly notExecuted: string | undefined
}

/** Called with the progress of a step. */
export type OnProgress = (step: string, done: number, of: number) => void

/**
 * Checks the store's file page by page, then every kept block, re-executes all of them if none is pruned, and with
 * `repair` replaces a damaged store by the rebuilt one, keeping the damaged one next to it. Throws UserError when decided
 * data is itself damaged.
 */
export async function checkHome(
  home: Home,
  repair: boolean,
  onProgress: OnProgress,
): Promise<CheckReport> {
  const damage = scanFile(home, onProgress)
  if (damage.length === 0) return await checkChain(home, home, [], repair, onProgress)
  if (!repair)
    return {
      first: 0,
      last: 0,
      faults: damage.map(describeDamage),
      notExecuted: DAMAGED_FILE,
      damagedStore: undefined,
    }
  const salvaged = `${home.chainStore}.salvaged`
  try {
    await salvage(home, salvaged)
    return await checkChain(home, { ...home, chainStore: salvaged }, damage, repair, onProgress)
  } finally {
    fs.rmSync(salvaged, { recursive: true, force: true })
  }
}

/** Reads the whole file without LMDB, which a damaged page would end together with this process. */
function scanFile(home: Home, onProgress: OnProgress): readonly StoreFault[] {
  if (!fs.existsSync(home.chainStore)) return []
  const { faults } = scanStore(home.chainStore, {
    onRecord: unsealRecord,
    onProgress: (table, pages, of) => onProgress(`Reading table ${table}`, pages, of),
  })
  return faults
}

/**
 * Checks the chain of `source`, which is the home or what was salvaged of it; `damage` is what was found wrong with the
 * home's file.
 */
async function checkChain(
  home: Home,
  source: Home,
  damage: readonly StoreFault[],
  repair: boolean,
  onProgress: OnProgress,
): Promise<CheckReport> {
  const isSalvaged = source !== home
  const lost = damage.map(describeDamage)
  const chain = openOffline(source, { readOnly: !isSalvaged })
  const scratch = `${home.chainStore}.rebuilt`
  try {
    const { reader, blocks, addresses, tables, genesis } = chain
    const state = blocks.state()
    const [first, last] = [firstBlock(reader), state?.height ?? reader.latestHeight()]
    const { decided, derived } = checkBlocks(
      { chainId: genesis.genesis.chainId, reader, blocks, addresses, tables },
      first,
      last,
      (height) => onProgress('Checking blocks', height - first + 1, last - first + 1),
    )
    if (decided.length > 0) throw damaged([...lost, ...decided], ADVICE.decided)
    const notExecuted = whyNot(state !== undefined, reader.earliestHeight() > 0)
    const again =
      notExecuted === undefined ? await executeAgain(chain, scratch, last, onProgress) : []
    const faults = [...new Set([...lost, ...derived, ...again])]
    const report = { first, last, faults, notExecuted }
    if (!repair || faults.length === 0) return { ...report, damagedStore: undefined }
    if (notExecuted !== undefined) {
      if (!isSalvaged || derived.length > 0 || !isOnlyState(damage))
        throw damaged(faults, ADVICE[notExecuted])
      const left = await mendState(chain.kv, tables)
      if (left.length > 0) throw damaged(left, ADVICE[notExecuted])
      await chain.kv.close()
      return { ...report, damagedStore: await replaceStore(home, source.chainStore) }
    }
    return { ...report, damagedStore: await replaceStore(home, scratch) }
  } finally {
    await chain.kv.close()
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

const PRUNED = 'Older blocks are pruned'
const NETWORKED = "The votes for the blocks are in CometBFT's store"

const DAMAGED_FILE = "The store's file is damaged"

const ADVICE = {
  decided: 'Restore the data folder from a backup.',
  [PRUNED]: 'Old blocks are pruned, so the store cannot be rebuilt: restore a backup.',
  [NETWORKED]: 'Remove data/chain and start the node: CometBFT replays all blocks.',
} as const

function whyNot(
  isDecidedHere: boolean,
  isPruned: boolean,
): typeof PRUNED | typeof NETWORKED | undefined {
  if (!isDecidedHere) return NETWORKED
  return isPruned ? PRUNED : undefined
}

function damaged(faults: readonly string[], advice: string): UserError {
  const shown = faults.slice(0, 5).join('; ')
  const more = faults.length > 5 ? `; and ${faults.length - 5} more` : ''
  return new UserError(`the store is damaged: ${shown}${more}`, advice)
}

async function executeAgain(
  chain: OfflineChain,
  scratch: string,
  last: number,
  onProgress: OnProgress,
): Promise<readonly string[]> {
  fs.rmSync(scratch, { recursive: true, force: true })
  const target = openKv(scratch, { isScratch: true })
  try {
    const { faults, contradictions } = await rebuild(chain, target, (height) =>
      onProgress('Executing blocks', height, last),
    )
    if (contradictions.length > 0)
      throw damaged(
        contradictions,
        'These blocks were made by a different program, or under different rules.',
      )
    chain.blocks.copyTo(target)
    return faults
  } finally {
    await target.close()
  }
}

/** Moves the new store into place, and returns the path of the old one. */
async function replaceStore(home: Home, scratch: string): Promise<string> {
  const durable = openKv(scratch)
  // This commit syncs everything that was written before it.
  migrateSchema(durable)
  await durable.close()
  const aside = `${home.chainStore}.damaged-${Math.floor(Date.now() / 1000)}`
  fs.renameSync(home.chainStore, aside)
  fs.renameSync(scratch, home.chainStore)
  syncFolder(home.data)
  return aside
}
