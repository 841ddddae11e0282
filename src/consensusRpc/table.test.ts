import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { unsafeCometTable } from './table.ts'

const folder = path.join(import.meta.dirname, 'endpoints')
const exported = fs
  .readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), 'utf8')
    const names = [...text.matchAll(/^export const (\w+) = cometMethod\(/gm)]
    return names.map(([, name = '']) => ({ file, name }))
  })

test('every endpoint that a file exports is in the table', () => {
  const unlisted = exported
    .filter(({ name }) => !unsafeCometTable.has(name))
    .map(({ file, name }) => `add ${name} of endpoints/${file} to src/consensusRpc/table.ts`)
  expect(unlisted).toEqual([])
})

test('every endpoint has a file of its name', () => {
  const files = new Map(exported.map(({ file, name }) => [name, file]))
  for (const name of unsafeCometTable.keys()) {
    const file = `${name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())}.ts`
    expect(files.get(name), `write src/consensusRpc/endpoints/${file}`).toBe(file)
  }
})

test('every endpoint is asked for in a test', () => {
  const root = path.join(import.meta.dirname, '..', '..')
  const text = ['src/consensusRpc', 'test/support', 'test/e2e', 'test/vectors']
    .flatMap((room) =>
      fs
        .readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
        .map((file) => path.join(root, room, file)),
    )
    .filter((file) => file.endsWith('.test.ts') || /support.*\.ts$/.test(file))
    .map((file) => fs.readFileSync(file, 'utf8'))
    .join('\n')
  const unasked = [...unsafeCometTable.keys()].filter(
    (name) => !new RegExp(`\\b${name}\\b`).test(text),
  )
  expect(unasked.map((name) => `no test asks for ${name}`)).toEqual([])
})

test.each([...unsafeCometTable])('%s says what it does', (_name, { summary }) => {
  expect(summary).toMatch(/^\S.*\.$/)
})
