/** The journal of the pool in the node: what clients sent is there again after a restart (D64). */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../base/clock.ts'
import { messageOf, UserError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import { decodeJournal, type JournalContent } from '../consensus/mempool/journal/format.ts'
import { createPoolJournal } from '../consensus/mempool/journal/journal.ts'
import { openJournalStorage } from '../consensus/mempool/journal/storage.ts'
import type { PoolJournal } from '../consensus/mempool/journal/types.ts'
import type { Mempool } from '../consensus/mempool/types.ts'

export type NodeJournal = {
  /** Undefined where nothing is kept (mempool.durable). */
  readonly journal: PoolJournal | undefined
  /** Puts into the pool what the journal holds. To be called once, with the state at hand and before clients come. */
  restore(pool: Pick<Mempool, 'restore'>): Promise<void>
  /** Bytes of the file in use. */
  size(): number
  close(): Promise<void>
}

export type NodeJournalOptions = {
  readonly home: Pick<Home, 'poolJournal'>
  readonly config: Pick<NodeConfig, 'mempool.durable' | 'mempool.journal-limit'>
  readonly log: Log
  /** Ends the process (D54). */
  readonly fatal: (error: unknown) => never
  /** Called with the seconds that a group took to reach the disk. */
  readonly onGroup: ((seconds: number) => void) | undefined
}

/** The journal of a home. Its file is read and written by `restore`. */
export function openNodeJournal(options: NodeJournalOptions): NodeJournal {
  const { home, config, log, fatal, onGroup } = options
  const storage = openJournalStorage(home.poolJournal)
  const journal = config['mempool.durable']
    ? createPoolJournal({
        storage,
        random: randomBytes,
        limit: config['mempool.journal-limit'],
        now: systemClock.monotonic,
        ...(onGroup && { onGroup }),
        onFull: (reason) => log.error({ reason }, "the disk of the pool's journal is full"),
        fatal: (error) =>
          fatal(
            new UserError(
              `the pool's journal ${home.poolJournal} could not be written: ${messageOf(error)}`,
              'Check the disk, then start again.',
            ),
          ),
      })
    : undefined

  async function read(): Promise<JournalContent | undefined> {
    try {
      const bytes = await storage.read()
      return bytes && decodeJournal(bytes)
    } catch (error) {
      log.error({ reason: messageOf(error) }, "the pool's journal could not be read")
      return { transactions: [], damaged: 1 }
    }
  }

  async function setAside(): Promise<void> {
    try {
      await storage.setAside()
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'the damaged journal could not be set aside')
    }
  }

  return {
    journal,
    async restore(pool) {
      const content = await read()
      const { transactions, damaged } = content ?? { transactions: [], damaged: 0 }
      if (damaged > 0) await setAside()
      const restored = await pool.restore(transactions)
      const counts = { found: transactions.length, restored: restored.length }
      if (damaged > 0)
        log.warn(
          { ...counts, damaged },
          "the pool's journal was damaged: what could be read was kept",
        )
      else if (counts.found > 0) log.info(counts, 'transactions of the last run are pooled again')
      if (journal !== undefined) await journal.start()
      else if (content !== undefined) await storage.remove()
    },
    size: () => journal?.size() ?? 0,
    close: async () => await journal?.close(),
  }
}
