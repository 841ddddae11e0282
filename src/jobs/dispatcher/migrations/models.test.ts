import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startTestPostgres } from '../../../../test/support/dispatcher.ts'
import { migrate } from '../../../store/sql/migrate.ts'
import { openSql } from '../../../store/sql/open.ts'
import { migrations } from '../migrations.ts'
import { setModel } from '../identities/register.ts'
import type { DispatcherTables } from '../tables.ts'

test('sessions and jobs of an older database stay as they are, and are judged by a registry that was not there', async () => {
  const postgres = await startTestPostgres()
  onTestFinished(() => postgres.stop())
  const store = openSql<DispatcherTables>(postgres.url('postgres'), {
    log: pino({ level: 'silent' }),
  })
  const { db } = store
  const before = Object.entries(migrations).filter(([name]) => name < '0014')
  await migrate(db, Object.fromEntries(before))
  const range = { range_start: 0n, range_end: 1n, range_max: 1n }
  await db
    .insertInto('operators')
    .values({ address: 'o', ...range })
    .execute()
  const session = { operator: 'o', session: 's', replica: '00000000-0000-0000-0000-000000000000' }
  await db
    .insertInto('sessions')
    .values({ ...session, workers: ['opml'], models: ['tiny.gguf'], slots: 1 } as never)
    .execute()
  await migrate(db, migrations)
  await setModel(store, 'tiny.gguf', { sha256: `0x${'ab'.repeat(32)}` })
  const row = await db
    .selectFrom('sessions')
    .select(['models', 'refused', 'offered'])
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ models: ['tiny.gguf'], refused: [], offered: { session: 's' } })
  await expect(setModel(store, 'a\u0000b', { sha256: `0x${'ab'.repeat(32)}` })).rejects.toThrow(
    'cannot be registered',
  )
  await store.close()
})
