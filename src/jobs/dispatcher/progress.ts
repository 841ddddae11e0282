/**
 * The progress of a job as events. They are derived from rows that exist anyway (the job and its draws), so that
 * watching costs writers nothing, works at every replica, and can start late or resume.
 */
import { sql } from 'kysely'
import type { Log } from '../../base/log.ts'
import type { JobEnd, JobState } from '../../proof/job/job.ts'
import { isFinished } from './lifecycle/states.ts'
import { startLoop } from './loop.ts'
import type { DispatcherSql } from './tables.ts'

const POLL_MS = 250

/** One event. `id` identifies it among those of its job, and never changes. */
export type ProgressEvent = {
  readonly id: string
  readonly event: 'created' | 'dispatched' | 'draw' | JobEnd
  readonly data: Readonly<Record<string, unknown>>
}

export type Watcher = {
  readonly job: string
  send(event: ProgressEvent): void
  /** Called once: when the job has ended and every event is sent, or when watching stops. */
  end(): void
}

export type Progress = {
  /** Follows a job, starting after the event `after`, or from the beginning. Returns a function that stops it. */
  watch(watcher: Watcher, after?: string): () => void
  /** Number of watchers. */
  count(): number
  /** Polls immediately. */
  wake(): void
  stop(): Promise<void>
}

type Draw = { operator: string; round: number; selected: boolean; at: string }
type Row = {
  id: string
  state: JobState
  reason: string
  round: number
  created: string
  dispatched: string | null
  finished: string | null
  draws: Draw[] | null
}

/** Creates a watch without watchers. */
export function startProgress({ db }: DispatcherSql, log: Log): Progress {
  const watchers = new Map<Watcher, Set<string> | { readonly after: string }>()
  const loop = startLoop('progress', POLL_MS, log, async () => {
    if (watchers.size === 0) return
    const present = [...watchers.keys()]
    const jobs = await readJobs([...new Set(present.map(({ job }) => job))])
    for (const watcher of present) report(watcher, jobs.get(watcher.job))
  })

  async function readJobs(ids: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const time = (column: string) =>
      sql`to_char(${sql.ref(column)} at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS')`
    const { rows } = await sql<Row>`
      select id, state, reason, round, ${time('created_at')} as created,
        ${time('dispatched_at')} as dispatched, ${time('finished_at')} as finished,
        (select json_agg(json_build_object('operator', operator, 'round', round,
          'selected', vrf->'selected', 'at', ${time('d.created_at')}) order by d.created_at, operator)
          from draws d where d.job_id = jobs.id) as draws
      from jobs where id = any(${ids}::text[])`.execute(db)
    return new Map(rows.map((row) => [row.id, row]))
  }

  function report(watcher: Watcher, row: Row | undefined): void {
    const known = watchers.get(watcher)
    if (known === undefined) return
    const events = row === undefined ? [] : timeline(row)
    const sent = known instanceof Set ? known : sentBefore(events, known.after)
    watchers.set(watcher, sent)
    for (const event of events)
      if (!sent.has(event.id)) {
        sent.add(event.id)
        watcher.send(event)
      }
    if (row === undefined || row.finished !== null) finish(watcher)
  }

  function finish(watcher: Watcher): void {
    if (watchers.delete(watcher)) watcher.end()
  }

  return {
    watch(watcher, after) {
      watchers.set(watcher, after === undefined ? new Set() : { after })
      loop.wake()
      return () => finish(watcher)
    },
    count: () => watchers.size,
    wake: loop.wake,
    async stop() {
      for (const watcher of watchers.keys()) finish(watcher)
      await loop.stop()
    },
  }
}

/** All events of a job so far, in order. */
function timeline(row: Row): ProgressEvent[] {
  const events: ProgressEvent[] = [{ id: 'created', event: 'created', data: { at: row.created } }]
  if (row.dispatched !== null)
    events.push({ id: 'dispatched', event: 'dispatched', data: { at: row.dispatched } })
  for (const draw of row.draws ?? [])
    events.push({ id: `draw-${draw.round}-${draw.operator}`, event: 'draw', data: draw })
  const { state, reason, round } = row
  if (row.finished !== null && isFinished(state))
    events.push({ id: `end-${round}`, event: state, data: { at: row.finished, reason } })
  return events
}

/**
 * The events that a watcher has already seen, given the last one, `after`: all up to it, or none if it does not exist.
 */
function sentBefore(events: readonly ProgressEvent[], after: string): Set<string> {
  const last = events.findIndex(({ id }) => id === after)
  return new Set(events.slice(0, last + 1).map(({ id }) => id))
}
