import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../../../test/support/dispatcher.ts'
import { createProject, listProjects, listTokens, revokeToken, setLimits } from './projects.ts'

let postgres: TestPostgres
let dispatcher: TestDispatcher

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'projects')
})

afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
})

const statusWith = async (from: string, verify: string): Promise<number> => {
  const job = { tag: 'opml', prompt: '', model: 'm' }
  return (await dispatcher.post('/api/job/submit', { from, verify, job })).status
}

test('a token is replaced without a gap: two live ones, then the older is revoked', async () => {
  const { sql } = dispatcher
  const old = await createProject(sql, { name: 'turn', id: 'turn' })
  const next = await createProject(sql, { name: 'turn', id: 'turn', token: 'chosen' })
  expect(await createProject(sql, { name: 'turn', id: 'turn', token: 'chosen' })).toEqual(next)
  await expect(createProject(sql, { name: 'turn', id: 'turn' })).rejects.toThrow(/2 active tokens/)
  for (const { token } of [old, next]) expect(await statusWith('turn', token)).toBe(200)

  const [first] = await listTokens(sql, 'turn')
  expect(first).toMatchObject({ revokedAt: null, lastUsedAt: expect.any(Date) })
  await revokeToken(sql, 'turn', first?.id ?? '')
  await expect(revokeToken(sql, 'turn', first?.id ?? '')).rejects.toThrow(/no active token/)
  await expect.poll(() => statusWith('turn', old.token)).toBe(401)
  expect(await statusWith('turn', next.token)).toBe(200)
  await createProject(sql, { name: 'turn', id: 'turn' })
  expect(await listTokens(sql, 'turn')).toHaveLength(3)
})

// Holds D27.
test('the database holds no token', async () => {
  const { token } = await createProject(dispatcher.sql, { name: 'hashed' })
  const rows = await dispatcher.sql.db.selectFrom('project_tokens').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(JSON.stringify(await listTokens(dispatcher.sql, 'test'))).not.toContain(dispatcher.token)
})

test('ids and tokens must be well-formed, and a token belongs to one project', async () => {
  const { sql } = dispatcher
  await createProject(sql, { name: 'one', id: 'one', token: 'taken' })
  await expect(createProject(sql, { name: '', id: 'two', token: 'taken' })).rejects.toThrow(
    /another project/,
  )
  await expect(createProject(sql, { name: '', id: 'a b' })).rejects.toThrow(/project id/)
  await expect(createProject(sql, { name: '', token: 'a b' })).rejects.toThrow(/project token/)
  await expect(listTokens(sql, 'nobody')).rejects.toThrow(/nobody/)
  await expect(setLimits(sql, 'nobody', { jobsPerDay: 1 })).rejects.toThrow(/nobody/)
  await expect(revokeToken(sql, 'nobody', 'x')).rejects.toThrow(/nobody/)
})

test('projects are listed with their limits and what they have used', async () => {
  const { sql } = dispatcher
  const { token } = await createProject(sql, { name: 'A counted one', id: 'counted' })
  await setLimits(sql, 'counted', { jobsPerDay: 7, jobsPerMinute: 60 })
  await setLimits(sql, 'counted', { jobsPerMinute: null })
  expect(await statusWith('counted', token)).toBe(200)
  const entry = (await listProjects(sql)).find(({ id }) => id === 'counted')
  expect(entry).toEqual({
    id: 'counted',
    name: 'A counted one',
    jobsPerMinute: null,
    tokenJobsPerMinute: null,
    jobsPerDay: 7,
    tokensPerMinute: null,
    jobsToday: 1,
  })
})
