/**
 * Projects and their API tokens (D27, D50). The database never sees a token, only its SHA-256, which is safe because a
 * generated token has 256 random bits. A preset one is as strong as its user chose it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { UserError } from '../../../base/errors.ts'
import type { DispatcherSql } from '../tables.ts'

/** Valid project ids. */
export const PROJECT_ID = /^[A-Za-z0-9._-]{1,64}$/
const TOKEN = /^[\x21-\x7e]{1,256}$/

/** The current one and its successor, for rotation (D27). */
const MAX_LIVE_TOKENS = 2

/** Limits of a project; 0 means unlimited. */
export type Limits = {
  readonly jobsPerMinute: number
  readonly tokenJobsPerMinute: number
  readonly jobsPerDay: number
  /** Of prompts and answers together (D141). */
  readonly tokensPerMinute: number
}

/** A project's own limits; null means the dispatcher's default. */
export type ProjectLimits = { readonly [Name in keyof Limits]: number | null }

export type ProjectEntry = ProjectLimits & {
  readonly id: string
  readonly name: string
  readonly jobsToday: number
}

export type TokenEntry = {
  readonly id: string
  readonly createdAt: Date
  /** Precise to a minute. */
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
}

export type ProjectRequest = {
  readonly name: string
  /** Generated when absent. */
  readonly id?: string
  /** Generated when absent. */
  readonly token?: string
}

/**
 * Creates a project with a token, or adds this token to an existing project (`id`); idempotent. The token is returned
 * once and cannot be read back. Throws UserError on an ill-formed id or token, when the token belongs to another
 * project, and when the project has two active ones already.
 */
export async function createProject(
  { db }: DispatcherSql,
  { name, id = `project-${randomBytes(6).toString('hex')}`, token = newToken() }: ProjectRequest,
): Promise<{ project: string; token: string }> {
  checkProject(id, token)
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('projects')
      .values({ id, name })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // Two concurrent calls must not create a third token.
    await transaction.selectFrom('projects').select('id').where('id', '=', id).forUpdate().execute()
    await transaction
      .insertInto('project_tokens')
      .values({ hash: hashOfToken(token), project: id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { project } = await transaction
      .selectFrom('project_tokens')
      .select('project')
      .where('hash', '=', hashOfToken(token))
      .executeTakeFirstOrThrow()
    if (project !== id)
      throw new UserError('the token belongs to another project', 'Choose another token.')
    const live = await transaction
      .selectFrom('project_tokens')
      .select('hash')
      .where('project', '=', id)
      .where('revoked_at', 'is', null)
      .execute()
    if (live.length > MAX_LIVE_TOKENS)
      throw new UserError(
        `project ${id} already has ${MAX_LIVE_TOKENS} active tokens`,
        'Revoke one first: assay project token revoke.',
      )
  })
  return { project: id, token }
}

/** Throws UserError on an ill-formed project id or token; the message never contains the token. */
export function checkProject(id: string, token: string): void {
  if (!PROJECT_ID.test(id))
    throw new UserError(
      `"${id}" is not a valid project id`,
      'Use 1 to 64 letters, digits, dots, dashes or underscores.',
    )
  if (!TOKEN.test(token))
    throw new UserError(
      'this is not a valid project token',
      'Use 1 to 256 visible ASCII characters.',
    )
}

/** Adds a token to a project. Throws UserError when the project does not exist, or has two active tokens already. */
export async function addToken(store: DispatcherSql, project: string): Promise<string> {
  await requireProject(store.db, project)
  return (await createProject(store, { name: '', id: project })).token
}

/** The tokens of a project, oldest first. Throws UserError when the project does not exist. */
export async function listTokens({ db }: DispatcherSql, project: string): Promise<TokenEntry[]> {
  await requireProject(db, project)
  const rows = await db
    .selectFrom('project_tokens')
    .select(['hash', 'created_at', 'last_used_at', 'revoked_at'])
    .where('project', '=', project)
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({
    id: tokenId(row.hash),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }))
}

/**
 * Revokes one token, by its id in `listTokens`; the project's other one stays active. Throws UserError when it does not
 * exist.
 */
export async function revokeToken(
  { db }: DispatcherSql,
  project: string,
  id: string,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('project_tokens')
    .set({ revoked_at: sql`now()` })
    .where('project', '=', project)
    .where(sql`encode(substring(hash for 6), 'hex')`, '=', id)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n)
    throw new UserError(
      `project ${project} has no active token ${id}`,
      'List them with: assay project token list',
    )
}

/** All projects by name, with their own limits and today's number of jobs. */
export async function listProjects({ db }: DispatcherSql): Promise<ProjectEntry[]> {
  const rows = await db
    .selectFrom('projects as p')
    .leftJoin('project_days as d', (join) =>
      join
        .onRef('d.project', '=', 'p.id')
        .on('d.day', '=', sql<Date>`(now() at time zone 'utc')::date`),
    )
    .select(['p.id', 'p.name', 'p.jobs_per_minute', 'p.token_jobs_per_minute', 'p.jobs_per_day'])
    .select(['p.tokens_per_minute', 'd.jobs'])
    .orderBy('p.name')
    .orderBy('p.id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    jobsPerMinute: row.jobs_per_minute,
    tokenJobsPerMinute: row.token_jobs_per_minute,
    jobsPerDay: row.jobs_per_day,
    tokensPerMinute: row.tokens_per_minute,
    jobsToday: Number(row.jobs ?? 0n),
  }))
}

/**
 * Changes the limits that are given; null resets to the dispatcher's default. Throws UserError when the project does
 * not exist.
 */
export async function setLimits(
  { db }: DispatcherSql,
  project: string,
  limits: { readonly [Name in keyof ProjectLimits]?: ProjectLimits[Name] | undefined },
): Promise<void> {
  await requireProject(db, project)
  const { jobsPerMinute, tokenJobsPerMinute, jobsPerDay, tokensPerMinute } = limits
  const changes = {
    ...(jobsPerMinute !== undefined && { jobs_per_minute: jobsPerMinute }),
    ...(tokenJobsPerMinute !== undefined && { token_jobs_per_minute: tokenJobsPerMinute }),
    ...(jobsPerDay !== undefined && { jobs_per_day: jobsPerDay }),
    ...(tokensPerMinute !== undefined && { tokens_per_minute: tokensPerMinute }),
  }
  if (Object.keys(changes).length === 0) return
  await db.updateTable('projects').set(changes).where('id', '=', project).execute()
}

/**
 * Requires that `k` of `n` operators give the same answer to each job of a project; undefined asks all operators and
 * accepts any answer. Throws UserError when the project does not exist, or k is not from 1 to n.
 */
export async function setAgreement(
  { db }: DispatcherSql,
  project: string,
  agreement: { readonly k: number; readonly n: number } | undefined,
): Promise<void> {
  await requireProject(db, project)
  if (agreement !== undefined && !(1 <= agreement.k && agreement.k <= agreement.n))
    throw new UserError('k must be from 1 to n', 'Use k/n, such as 2/3.')
  await db
    .updateTable('projects')
    .set({ agree_k: agreement?.k ?? null, agree_n: agreement?.n ?? null })
    .where('id', '=', project)
    .execute()
}

/** Throws UserError when there is no such project. */
export async function requireProject(db: DispatcherSql['db'], project: string): Promise<void> {
  const row = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', project)
    .executeTakeFirst()
  if (row === undefined)
    throw new UserError(`there is no project ${project}`, 'List all with: assay project list')
}

function newToken(): string {
  return `assay_${randomBytes(32).toString('base64url')}`
}

/** What the database stores of a token. */
export function hashOfToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Id of a token: the first digits of its hash, from which the token cannot be derived. */
export function tokenId(hash: Uint8Array): string {
  return Buffer.from(hash.subarray(0, 6)).toString('hex')
}
