// Holds D125.
import { expect, test } from 'vitest'
import { FIRST_MODEL } from '../models/catalogue.ts'
import { firstModel } from './firstModel.ts'

const START = { npm_lifecycle_event: 'start' }

test('npm start fetches the first model of the catalogue', () => {
  expect(firstModel('auto', false, START)).toMatchObject({ file: FIRST_MODEL.file })
  expect(firstModel('auto', false, { ...START, CI: '' })).toMatchObject({ file: FIRST_MODEL.file })
})

test.each([
  ['a service or an image, which npm does not start', false, {}],
  ['npm run dev', false, { npm_lifecycle_event: 'dev' }],
  ['npm test', false, { npm_lifecycle_event: 'test' }],
  ['CI', false, { ...START, CI: 'true' }],
  ['production', false, { ...START, NODE_ENV: 'production' }],
  ['--dev', true, START],
] as const)('%s fetches none, unless a setting asks for it', (_, isDevelopment, environment) => {
  expect(firstModel('auto', isDevelopment, environment)).toBeUndefined()
  expect(firstModel('smollm2', isDevelopment, environment)).toMatchObject({
    file: FIRST_MODEL.file,
  })
})

test('"none" fetches none, and what cannot be fetched is an error at the start', () => {
  expect(firstModel('none', false, START)).toBeUndefined()
  expect(firstModel('hf:org/repo@v1/x.gguf', false, {})).toMatchObject({ file: 'x.gguf' })
  expect(() => firstModel('./x.gguf', false, START)).toThrow('is a file, which is not fetched')
  expect(() => firstModel('llama9', false, START)).toThrow('no model "llama9"')
})
