import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { setTopLevelText, writeTopLevelText } from './editToml.ts'
import { nodeKeys } from './node.ts'
import { configTemplate } from './toml.ts'

const NAME = 'minimum-gas-prices'

test('the commented line of a fresh file becomes the value, and nothing else changes', () => {
  const before = configTemplate([nodeKeys])
  const after = setTopLevelText(before, NAME, '7aassay')
  expect(parse(after)).toMatchObject({ [NAME]: '7aassay' })
  const differing = after.split('\n').filter((line, index) => line !== before.split('\n')[index])
  expect(differing).toEqual(['minimum-gas-prices = "7aassay"'])
})

test('a value that is set is replaced, and the comment behind it stays', () => {
  const text = `# mine\n${NAME} = "1aassay"  # cheap\n\n[log]\nlevel = "warn"\n`
  expect(setTopLevelText(text, NAME, '2aassay')).toBe(
    `# mine\n${NAME} = "2aassay"  # cheap\n\n[log]\nlevel = "warn"\n`,
  )
})

test('a file that does not mention the key gets it before its first section', () => {
  const text = `moniker = "a"\n[log]\n${NAME} = "not this one"\n`
  expect(parse(setTopLevelText(text, NAME, '2aassay'))).toEqual({
    moniker: 'a',
    [NAME]: '2aassay',
    log: { [NAME]: 'not this one' },
  })
})

test('the file keeps its mode', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-toml-'))
  const file = path.join(folder, 'assay.toml')
  fs.writeFileSync(file, '', { mode: 0o640 })
  writeTopLevelText(file, NAME, '3aassay')
  expect(fs.readFileSync(file, 'utf8')).toContain('3aassay')
  expect(fs.statSync(file).mode & 0o777).toBe(0o640)
  fs.rmSync(folder, { recursive: true })
})
