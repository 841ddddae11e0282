/** Who calls: checks of project tokens, remembered for a moment so that a submission asks the database nothing more (D27). */
import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { DispatcherSql } from '../tables.ts'
import { hashOfToken, PROJECT_ID, tokenId, type Limits } from './projects.ts'

/** How long a token that was revoked, or a limit that was changed, may still hold. */
const CACHE_MS = 2000
/** How exactly the last use of a token is known. */
const USE_MS = 60_000

/** A project that proved itself with a live token. */
export type Caller = {
  readonly project: string
  /** Name of the token, as `tokenId` has it. */
  readonly token: string
  readonly limits: Limits
}

export type Access = {
  /** The caller when `token` is a live token of `project`. Takes the same time for an unknown project and a wrong token. */
  authenticate(project: string, token: string): Promise<Caller | undefined>
  /** The project of a live token, or undefined. */
  projectOf(token: string): Promise<string | undefined>
}

type Known = {
  readonly until: number
  readonly limits: Limits
  readonly live: readonly Buffer[]
}

/** Opens the checks; `defaults` hold for projects without limits of their own. */
export function openAccess({ db }: DispatcherSql, defaults: Limits): Access {
  const projects = new Map<string, Known>()
  const uses = new Map<string, number>()

  async function find(project: string): Promise<Known | undefined> {
    if (!PROJECT_ID.test(project)) return undefined
    const known = projects.get(project)
    if (known !== undefined && known.until > Date.now()) return known
    const row = await db
      .selectFrom('projects as p')
      .select(['p.jobs_per_minute', 'p.token_jobs_per_minute', 'p.jobs_per_day'])
      .select((of) =>
        of
          .selectFrom('project_tokens as t')
          .select(sql<Buffer[] | null>`array_agg(t.hash)`.as('live'))
          .whereRef('t.project', '=', 'p.id')
          .where('t.revoked_at', 'is', null)
          .as('live'),
      )
      .where('p.id', '=', project)
      .executeTakeFirst()
    projects.delete(project)
    // Only what exists is remembered: guesses must not fill the memory.
    if (row === undefined) return undefined
    const found = {
      until: Date.now() + CACHE_MS,
      live: row.live ?? [],
      limits: {
        jobsPerMinute: row.jobs_per_minute ?? defaults.jobsPerMinute,
        tokenJobsPerMinute: row.token_jobs_per_minute ?? defaults.tokenJobsPerMinute,
        jobsPerDay: row.jobs_per_day ?? defaults.jobsPerDay,
      },
    }
    projects.set(project, found)
    return found
  }

  async function noteUse(hash: Buffer): Promise<void> {
    const id = tokenId(hash)
    if ((uses.get(id) ?? 0) > Date.now() - USE_MS) return
    uses.set(id, Date.now())
    await db
      .updateTable('project_tokens')
      .set({ last_used_at: sql`now()` })
      .where('hash', '=', hash)
      .execute()
  }

  return {
    async authenticate(project, token) {
      const hash = hashOfToken(token)
      const known = await find(project)
      const matches = (known?.live ?? []).map((live) => timingSafeEqual(live, hash))
      if (known === undefined || !matches.includes(true)) return undefined
      await noteUse(hash)
      return { project, token: tokenId(hash), limits: known.limits }
    },
    async projectOf(token) {
      const hash = hashOfToken(token)
      const row = await db
        .selectFrom('project_tokens')
        .select(['project', 'hash'])
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      if (row === undefined || !timingSafeEqual(row.hash, hash)) return undefined
      await noteUse(hash)
      return row.project
    },
  }
}
