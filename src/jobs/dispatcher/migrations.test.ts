import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { migrations } from './migrations.ts'

const names = Object.keys(migrations)

test('steps are numbered from 1 on, without a gap', () => {
  const numbers = names.map((name) => Number(/^(\d{4})-[a-z]+$/i.exec(name)?.[1]))
  expect(numbers).toEqual(names.map((_, at) => at + 1))
})

test('every file of a step is listed', () => {
  const listed = new Set(names.map((name) => name.slice(5)))
  const unlisted = fs
    .readdirSync(path.join(import.meta.dirname, 'migrations'))
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => path.basename(file, '.ts'))
    .filter((name) => !listed.has(name))
  expect(unlisted.map((name) => `add migrations/${name}.ts to migrations.ts`)).toEqual([])
})
