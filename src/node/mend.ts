/** `assay node check`: everything about a stopped home's chain, and a new store in place of a damaged one. */
import fs from 'node:fs'
import { UserError } from '../base/errors.ts'
import { syncFolder } from '../base/files.ts'
import type { Home } from '../config/home.ts'
import { openKv } from '../store/kv.ts'
import { migrateSchema } from '../store/schema.ts'
import { checkBlocks, firstBlock } from './check.ts'
import { openOffline, type OfflineChain } from './offline.ts'
import { rebuild } from './rebuild.ts'

export type CheckReport = {
  readonly first: number
  readonly last: number
  readonly faults: readonly string[]
  /** Where the damaged store was put; undefined unless a new one took its place. */
  readonly damagedStore: string | undefined
  /** Why the blocks were not executed again; undefined where they were. */
  readonly notExecuted: string | undefined
}

/** Told how far a step is. */
export type OnProgress = (step: string, done: number, of: number) => void

/**
 * Checks every kept block, executes all of them again where none is pruned, and with `repair` puts the store that this made
 * in the place of a damaged one, which stays beside it. Throws UserError when what was decided is itself damaged.
 */
export async function checkHome(
  home: Home,
  repair: boolean,
  onProgress: OnProgress,
): Promise<CheckReport> {
  const chain = openOffline(home, { readOnly: true })
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
    if (decided.length > 0) throw damaged(decided, 'Restore the data folder from a backup.')
    const notExecuted = whyNot(state !== undefined, reader.earliestHeight() > 0)
    const again =
      notExecuted === undefined ? await executeAgain(chain, scratch, last, onProgress) : []
    const faults = [...new Set([...derived, ...again])]
    const report = { first, last, faults, notExecuted }
    if (!repair || faults.length === 0) return { ...report, damagedStore: undefined }
    if (notExecuted !== undefined) throw damaged(faults, ADVICE[notExecuted])
    return { ...report, damagedStore: await replaceStore(home, scratch) }
  } finally {
    await chain.kv.close()
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

const PRUNED = 'Older blocks are pruned'
const NETWORKED = 'The votes behind the blocks are in CometBFT’s store'

const ADVICE = {
  [PRUNED]: 'Old blocks are pruned, so it cannot be made anew: restore a backup.',
  [NETWORKED]: 'Remove data/chain and start the node: CometBFT plays all blocks again.',
} as const

function whyNot(isDecidedHere: boolean, isPruned: boolean): keyof typeof ADVICE | undefined {
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
      throw damaged(contradictions, 'These blocks were made by another program, or by other rules.')
    chain.blocks.copyTo(target)
    return faults
  } finally {
    await target.close()
  }
}

/** Puts the new store in its place, and tells where the old one is. */
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
