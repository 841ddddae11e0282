import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestDispatcher, startTestPostgres } from '../../../test/support/dispatcher.ts'
import { connectOperator } from '../../../test/support/scriptedOperator.ts'
import { forgetOperators } from './sessions.ts'

// Holds D75.
test('an operator that never did anything is forgotten after a day, and may come back', async () => {
  const postgres = await startTestPostgres()
  const dispatcher = await startTestDispatcher(postgres, 'forgotten')
  const privateKey = randomBytes(32)
  const [idle, connected, worked] = [
    await connectOperator(dispatcher, { privateKey, models: ['none.gguf'] }),
    await connectOperator(dispatcher, { models: ['none.gguf'] }),
    await connectOperator(dispatcher),
  ]
  await dispatcher.submit({ tag: 'opml', prompt: 'p', model: 'tiny.gguf' })
  worked.send(await worked.answer(await worked.next('dispatch')))
  await worked.next('recorded')
  for (const each of [idle, worked]) each.socket.close()
  const { db } = dispatcher.sql
  const count = async (table: 'operators' | 'sessions') =>
    (await db.selectFrom(table).selectAll().execute()).length
  await expect.poll(() => count('sessions')).toBe(1)
  await forgetOperators(dispatcher.sql)
  expect(await count('operators')).toBe(3)
  await sql`update operators set last_seen = now() - interval '25 hours'`.execute(db)
  await forgetOperators(dispatcher.sql)
  const left = await db.selectFrom('operators').select('address').execute()
  expect(left.map(({ address }) => address).sort()).toEqual(
    [connected.address, worked.address].sort(),
  )
  const again = await connectOperator(dispatcher, { privateKey })
  expect(again.address).toBe(idle.address)
  await dispatcher.close()
  await postgres.stop()
})
