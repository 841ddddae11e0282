/**
 * Projects and their API tokens (D27, D50). The database never sees a token, only its SHA-256: a token of ours has 256 random
 * bits. A preset one is as strong as its user chose it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { UserError } from '../../base/errors.ts'
import type { DispatcherSql } from './tables.ts'

const PROJECT_ID = /^[A-Za-z0-9._-]{1,64}$/
const TOKEN = /^[\x21-\x7e]{1,256}$/

export type ProjectRequest = {
  readonly name: string
  /** Chosen by us when absent. */
  readonly id?: string
  /** Made by us when absent. */
  readonly token?: string
}

/**
 * Creates a project with a token, or gives an existing project (`id`) this further token; asked for again, nothing changes.
 * The token is returned once and cannot be read back. Throws UserError on an ill-formed id or token, and when the token
 * belongs to another project.
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
    await transaction
      .insertInto('project_tokens')
      .values({ hash: hashOf(token), project: id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const { project } = await transaction
      .selectFrom('project_tokens')
      .select('project')
      .where('hash', '=', hashOf(token))
      .executeTakeFirstOrThrow()
    if (project !== id)
      throw new UserError('the token belongs to another project', 'Choose another token.')
  })
  return { project: id, token }
}

/** Throws UserError on an ill-formed project id or token; the token is not repeated. */
export function checkProject(id: string, token: string): void {
  if (!PROJECT_ID.test(id))
    throw new UserError(
      `"${id}" cannot be a project id`,
      'Take 1 to 64 letters, digits, dots, dashes or underscores.',
    )
  if (!TOKEN.test(token))
    throw new UserError('this cannot be a project token', 'Take 1 to 256 visible ASCII characters.')
}

/** How long a token that was revoked may still be taken. */
const CACHE_MS = 2000

export type Projects = {
  /** Whether `token` is a live token of `project`. Takes the same time for an unknown project and a wrong token. */
  isToken(project: string, token: string): Promise<boolean>
  /** The project of a live token, or undefined. */
  projectOf(token: string): Promise<string | undefined>
}

/** Checks of tokens, remembered for a moment so that a submission is one statement. */
export function openProjects({ db }: DispatcherSql): Projects {
  const hashes = new Map<string, { readonly until: number; readonly live: readonly Buffer[] }>()

  async function liveHashes(project: string): Promise<readonly Buffer[]> {
    if (!PROJECT_ID.test(project)) return []
    const known = hashes.get(project)
    if (known !== undefined && known.until > Date.now()) return known.live
    const rows = await db
      .selectFrom('project_tokens')
      .select('hash')
      .where('project', '=', project)
      .where('revoked_at', 'is', null)
      .execute()
    const live = rows.map((row) => row.hash)
    // Only what exists is remembered: guesses must not fill the memory.
    if (live.length > 0) hashes.set(project, { until: Date.now() + CACHE_MS, live })
    else hashes.delete(project)
    return live
  }

  return {
    async isToken(project, token) {
      const hash = hashOf(token)
      const matches = (await liveHashes(project)).map((live) => timingSafeEqual(live, hash))
      return matches.includes(true)
    },
    async projectOf(token) {
      const hash = hashOf(token)
      const row = await db
        .selectFrom('project_tokens')
        .select(['project', 'hash'])
        .where('hash', '=', hash)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      return row !== undefined && timingSafeEqual(row.hash, hash) ? row.project : undefined
    },
  }
}

function newToken(): string {
  return `assay_${randomBytes(32).toString('base64url')}`
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
