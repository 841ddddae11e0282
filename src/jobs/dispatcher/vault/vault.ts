/**
 * What users wrote and what was generated for them is encrypted in the database: with a data key per project, which
 * itself is encrypted with a key that is kept in a file. The database alone reveals none of it.
 */
import { randomBytes } from 'node:crypto'
import { UserError } from '../../../base/errors.ts'
import { loadOrCreateSecret } from '../../../base/secretFile.ts'
import type { DispatcherSql } from '../tables.ts'
import { isSealed, seal, unseal } from './seal.ts'

const KEY_BYTES = 32

export type Vault = {
  /** Encrypts a value of a project. `place` identifies its row and column. */
  seal(project: string, place: string, plain: Uint8Array): Promise<Buffer>
  /** Decrypts a value; one from before encryption is returned as it is. Throws SealError. */
  open(project: string, place: string, stored: Buffer): Promise<Buffer>
}

/** Places of sealed values. */
export const place = {
  request: (job: string): string => `job/${job}/request`,
  output: (verifyId: string): string => `result/${verifyId}/output`,
  trace: (verifyId: string): string => `result/${verifyId}/trace`,
} as const

/** The key of a file, 32 bytes, which is created with mode 0600 if missing. Throws UserError. */
export function loadPromptKey(keyFile: string): Uint8Array {
  return loadOrCreateSecret(keyFile, {
    what: '32 bytes as hex',
    advice: 'Restore the key from a copy: without it, stored prompts and results cannot be read.',
    isValid: (secret) => secret.length === KEY_BYTES,
    generate: () => randomBytes(KEY_BYTES),
  })
}

/**
 * Opens the vault with the key file, which all replicas share; it is created with mode 0600 if missing. Throws
 * UserError when the file contains a different key than the one that the database's data keys were encrypted with.
 */
export async function openVault({ db }: DispatcherSql, keyFile: string): Promise<Vault> {
  const master = loadPromptKey(keyFile)
  const keys = new Map<string, Promise<Buffer>>()

  const unwrap = (project: string, wrapped: Buffer): Buffer =>
    unseal(master, `project/${project}`, wrapped)

  /** One request at a time, so that values are sealed in the order in which they arrive. */
  function keyOf(project: string): Promise<Buffer> {
    const known = keys.get(project)
    if (known !== undefined) return known
    const key = readKey(project)
    keys.set(project, key)
    key.catch(() => keys.delete(project))
    return key
  }

  async function readKey(project: string): Promise<Buffer> {
    const wrapped = seal(master, `project/${project}`, randomBytes(KEY_BYTES))
    await db
      .insertInto('project_keys')
      .values({ project, wrapped })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    const row = await db
      .selectFrom('project_keys')
      .select('wrapped')
      .where('project', '=', project)
      .executeTakeFirstOrThrow()
    return unwrap(project, row.wrapped)
  }

  const any = await db.selectFrom('project_keys').selectAll().limit(1).executeTakeFirst()
  try {
    if (any !== undefined) unwrap(any.project, any.wrapped)
  } catch (error) {
    throw Object.assign(
      new UserError(
        `${keyFile} is not the key that this database's prompts are encrypted with`,
        'Restore the right key file; all replicas of a dispatcher share one.',
      ),
      { cause: error },
    )
  }
  return {
    async seal(project, at, plain) {
      return seal(await keyOf(project), at, plain)
    },
    async open(project, at, stored) {
      return isSealed(stored) ? unseal(await keyOf(project), at, stored) : stored
    },
  }
}
