/** Anchoring: one transaction per interval, sent by whichever replica is first (D33a). */
import { equalBytes } from '../../../base/bytes.ts'
import { messageOf } from '../../../base/errors.ts'
import type { Log } from '../../../base/log.ts'
import type { ReceiptsContract, NewAnchor } from '../../registry/receipts.ts'
import type { DispatcherSql } from '../tables.ts'
import {
  claimInterval,
  closeInterval,
  dissolveInterval,
  hasLooseReceipts,
  noteAnchored,
  releaseInterval,
} from './intervals.ts'

export type Anchoring = {
  readonly sql: DispatcherSql
  readonly contract: ReceiptsContract
  readonly intervalMs: number
  readonly log: Log
}

/** Back-off after a chain was unreachable, or had no contract. */
const PAUSE_MS = 15_000

/** `anchorReceipts` for a loop: a failure is logged and followed by a back-off. */
export function patientAnchoring(anchoring: Anchoring): () => Promise<number> {
  let pausedUntil = 0
  return async () => {
    if (performance.now() < pausedUntil) return 0
    try {
      return await anchorReceipts(anchoring)
    } catch (error) {
      pausedUntil = performance.now() + PAUSE_MS
      const retryInMs = PAUSE_MS
      anchoring.log.warn({ reason: messageOf(error), retryInMs }, 'receipts wait to be anchored')
      return 0
    }
  }
}

/**
 * Sends the pending interval, or closes one and sends it. Resolves with the number of anchored receipts. Rejects when
 * the chain does not respond or refuses the transaction; a later run sends the closed interval.
 */
export async function anchorReceipts(anchoring: Anchoring): Promise<number> {
  const { sql, contract, intervalMs } = anchoring
  if (!(await hasLooseReceipts(sql))) return 0
  const last = await contract.lastInterval()
  const { root } = await contract.anchorAt(last)
  await closeInterval(sql, { interval: last, root }, intervalMs)
  const claimed = await claimInterval(sql)
  if (claimed === undefined) return 0
  try {
    return await send(anchoring, claimed)
  } catch (error) {
    await releaseInterval(sql, claimed.interval)
    throw error
  }
}

async function send({ sql, contract, log }: Anchoring, claimed: NewAnchor): Promise<number> {
  const { interval, root, count } = claimed
  // The replica that claimed it before may have sent it and crashed before recording it.
  const there = await contract.anchorAt(interval)
  if (equalBytes(there.root, root)) {
    await noteAnchored(sql, interval)
    return count
  }
  if (there.count > 0) {
    log.error(
      { interval },
      'the chain has a different root for this interval; its receipts stay unanchored',
    )
    await dissolveInterval(sql, interval)
    return 0
  }
  await contract.appoint()
  const { blockNumber, hash } = await contract.anchor(claimed)
  await noteAnchored(sql, interval, blockNumber)
  log.info({ interval, count, hash }, 'anchored receipts')
  return count
}
