import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { startTestPostgres } from '../../../../test/support/dispatcher.ts'
import { migrate } from '../../../store/sql/migrate.ts'
import { openSql } from '../../../store/sql/open.ts'
import { listProjects } from '../access/projects.ts'
import { migrations } from '../migrations.ts'
import type { DispatcherTables } from '../tables.ts'

test('projects of an older database have the limit of the dispatcher, and no job asks for half an agreement', async () => {
  const postgres = await startTestPostgres()
  onTestFinished(() => postgres.stop())
  const store = openSql<DispatcherTables>(postgres.url('postgres'), {
    log: pino({ level: 'silent' }),
  })
  const { db } = store
  const before = Object.entries(migrations).filter(([name]) => name < '0015')
  await migrate(db, Object.fromEntries(before))
  await db.insertInto('projects').values({ id: 'p', name: 'old' }).execute()
  const job = { project: 'p', user_id: Buffer.alloc(0), tag: '', type: 'opml', model: 'm' } as const
  const made = { request: Buffer.alloc(0), seed: '00', clock: '{}', deadline_at: new Date() }
  await db
    .insertInto('jobs')
    .values({ id: 'old', ...job, ...made })
    .execute()
  await migrate(db, migrations)
  expect(await listProjects(store)).toMatchObject([{ id: 'p', tokensPerMinute: null }])
  const old = await db.selectFrom('jobs').select(['agree_k', 'agree_n']).executeTakeFirstOrThrow()
  expect(old).toEqual({ agree_k: null, agree_n: null })
  for (const agree of [{ agree_k: 1 }, { agree_n: 1 }, { agree_k: 3, agree_n: 2 }])
    await expect(
      db
        .insertInto('jobs')
        .values({ id: JSON.stringify(agree), ...job, ...made, ...agree })
        .execute(),
    ).rejects.toThrow(/violates check constraint/)
  await store.close()
})
