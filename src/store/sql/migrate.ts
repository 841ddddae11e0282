/** Migrating a database to the newest schema. */
import { Migrator, type Kysely, type Migration } from 'kysely'
import { UserError } from '../../base/errors.ts'

/** Steps by name, in the order of the names ("0001-jobs"). A released step never changes. */
export type Migrations = Readonly<Record<string, Migration>>

/**
 * Runs every pending step, in one transaction. Several processes may do it at once: an advisory lock lets one through,
 * and the others find nothing to do. Throws UserError when the database is newer than this program (D54).
 */
export async function migrate<Tables>(db: Kysely<Tables>, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  if (error instanceof Error && error.message.startsWith('corrupted migrations'))
    throw new UserError(
      `the database has a schema that this version does not know (${error.message})`,
      'Run the version that created it, or a newer one.',
    )
  throw error instanceof Error ? error : new Error('the migration failed')
}
