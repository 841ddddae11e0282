/** Authentication by project token, cached briefly so that a submission needs no further database query (D27). */
import { timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { DispatcherSql } from '../tables.ts'
import { hashOfToken, PROJECT_ID, tokenId, type Limits } from './projects.ts'

/** How long a revoked token or an old limit may remain in effect. */
const CACHE_MS = 2000
/** Precision of a token's time of last use. */
const USE_MS = 60_000

/** A project that authenticated with an active token. */
export type Caller = {
  readonly project: string
  /** Id of the token, as `tokenId` returns it. */
  readonly token: string
  readonly limits: Limits
}

export type Access = {
  /**
   * The caller if `token` is an active token of `project`. Takes the same time for an unknown project and a wrong
   * token.
   */
  authenticate(project: string, token: string): Promise<Caller | undefined>
  /** The project of an active token, or undefined. */
  projectOf(token: string): Promise<string | undefined>
  /** The caller if the token is an active token of any project. */
  callerOf(token: string): Promise<Caller | undefined>
}

type Known = {
  readonly until: number
  readonly limits: Limits
  readonly live: readonly Buffer[]
}

/** Creates the authentication; `defaults` apply to projects without their own limits. */
export function openAccess({ db }: DispatcherSql, defaults: Limits): Access {
  const projects = new Map<string, Known>()
  const uses = new Map<string, number>()
  const owners = new Map<string, { readonly until: number; readonly project: string }>()

  async function find(project: string): Promise<Known | undefined> {
    if (!PROJECT_ID.test(project)) return undefined
    const known = projects.get(project)
    if (known !== undefined && known.until > Date.now()) return known
    const row = await db
      .selectFrom('projects as p')
      .select(['p.jobs_per_minute', 'p.token_jobs_per_minute', 'p.jobs_per_day'])
      .select('p.tokens_per_minute')
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
    // Only existing tokens are cached: guesses must not fill the memory.
    if (row === undefined) return undefined
    const found = {
      until: Date.now() + CACHE_MS,
      live: row.live ?? [],
      limits: {
        jobsPerMinute: row.jobs_per_minute ?? defaults.jobsPerMinute,
        tokenJobsPerMinute: row.token_jobs_per_minute ?? defaults.tokenJobsPerMinute,
        jobsPerDay: row.jobs_per_day ?? defaults.jobsPerDay,
        tokensPerMinute: row.tokens_per_minute ?? defaults.tokensPerMinute,
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

  async function authenticate(project: string, token: string): Promise<Caller | undefined> {
    const hash = hashOfToken(token)
    const known = await find(project)
    const matches = (known?.live ?? []).map((live) => timingSafeEqual(live, hash))
    if (known === undefined || !matches.includes(true)) return undefined
    await noteUse(hash)
    return { project, token: tokenId(hash), limits: known.limits }
  }

  /** Found by a hash, which tells nothing about the token that is compared. */
  async function projectOf(token: string): Promise<string | undefined> {
    const hash = hashOfToken(token)
    const id = hash.toString('hex')
    const owner = owners.get(id)
    if (owner !== undefined && owner.until > Date.now()) return owner.project
    owners.delete(id)
    const row = await db
      .selectFrom('project_tokens')
      .select(['project', 'hash'])
      .where('hash', '=', hash)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (row === undefined || !timingSafeEqual(row.hash, hash)) return undefined
    await noteUse(hash)
    owners.set(id, { until: Date.now() + CACHE_MS, project: row.project })
    return row.project
  }

  return {
    authenticate,
    projectOf,
    async callerOf(token) {
      const project = await projectOf(token)
      return project === undefined ? undefined : authenticate(project, token)
    },
  }
}
