import fs from 'node:fs'
import path from 'node:path'
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import { expect, test } from 'vitest'
import { JOB_LIFECYCLE } from '../lifecycle.ts'
import { ASSIGNMENT_LIFECYCLE } from './assignments.ts'
import { ABSENT, allStates, mayGo, type AnyLifecycle } from './machine.ts'
import { assignmentIs, assignmentMay, jobIn, jobIs, jobMay } from './predicates.ts'
import { JOB_STATES } from './states.ts'

const LIFECYCLES: readonly AnyLifecycle[] = [JOB_LIFECYCLE, ASSIGNMENT_LIFECYCLE]
const root = path.resolve(import.meta.dirname, '..', '..', '..', '..')
const dispatcher = path.join(root, 'src', 'jobs', 'dispatcher')

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

test('conditions name the states of the table, without parameters', () => {
  const text = (condition: ReturnType<typeof jobIs>) => {
    const { sql, parameters } = condition.compile(compiler)
    expect(parameters).toEqual([])
    return sql
  }
  expect(text(jobIs('unfinished'))).toBe(`"state" in ('created', 'dispatched')`)
  expect(text(jobIs('finished', 'j.state'))).toBe(
    `"j"."state" in ('completed', 'failed', 'expired', 'cancelled')`,
  )
  expect(text(jobMay('retry'))).toBe(`"state" in ('failed', 'expired', 'cancelled')`)
  expect(text(jobMay('review'))).toBe(`"state" in ('completed')`)
  expect(text(jobIn(['failed']))).toBe(`"state" in ('failed')`)
  expect(text(assignmentIs('pending'))).toBe(`"state" in ('waiting', 'open')`)
  expect(text(assignmentMay('result', 'a.state'))).toBe(`"a"."state" in ('open', 'lost')`)
})

test('every state is reached from the beginning, and every row can be removed in the end', () => {
  for (const lifecycle of LIFECYCLES) {
    const states = [ABSENT, ...allStates(lifecycle)]
    for (const isForward of [true, false]) {
      const reached = new Set<string>([ABSENT])
      for (const from of reached)
        for (const to of states)
          if (isForward ? mayGo(lifecycle, from, to) : mayGo(lifecycle, to, from)) reached.add(to)
      expect(reached).toEqual(new Set(states))
    }
  }
})

test('every cause is a function that exists, and moves something', () => {
  for (const { causes, transitions } of LIFECYCLES) {
    for (const { code } of Object.values(causes)) {
      const [file, name] = code
      expect(fs.readFileSync(path.join(dispatcher, file), 'utf8')).toMatch(`function ${name}(`)
    }
    expect(new Set(transitions.map(({ cause }) => cause))).toEqual(new Set(Object.keys(causes)))
  }
})

/** Two states of one lifecycle side by side: in a list, or as alternatives. */
function listsIn(text: string): string[] {
  return [JOB_STATES, allStates(ASSIGNMENT_LIFECYCLE)].flatMap((states) => {
    const state = `'(?:${states.join('|')})'`
    const list = new RegExp(String.raw`${state}(?:,\s*|\s*(?:\|\||\bor\b)[^']{0,60})${state}`, 'g')
    return [...text.matchAll(list)].map(([found]) => found)
  })
}

test('no other code lists states', () => {
  const own = /^src\/jobs\/dispatcher\/(?:lifecycle\/|lifecycle\.ts|migrations\/)|\.test\.tsx?$/
  const files = ['src/jobs', 'src/cli', 'web/src/jobs', 'test/torture'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name}`)
      .filter((name) => /\.tsx?$/.test(name) && !own.test(name)),
  )
  const found = files.flatMap((file) =>
    fs
      .readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      // The detail record's `status` is not a state: it says whether a job was ever handed out (D25).
      .filter((line) => !line.startsWith('  status: z.enum('))
      .join('\n')
      .split(/(?<=[;}])\n/)
      .flatMap((part) => listsIn(part).map((list) => `${file}: ${list}`)),
  )
  expect(found).toEqual([])
})

test.each([
  `where state in ('created', 'dispatched')`,
  `['failed',\n  'expired']`,
  `state === 'created' || state === 'dispatched'`,
  `(a.state = 'waiting' or a.state = 'open')`,
])('a list like %j is found', (text) => {
  expect(listsIn(text)).toHaveLength(1)
})
