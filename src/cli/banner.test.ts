import { expect, test } from 'vitest'
import { banner, consoleLink } from './banner.ts'
import type { UpFile } from './upFile.ts'

const up = {
  rpc: 'http://127.0.0.1:8545',
  dispatcher: 'http://127.0.0.1:3000',
  explorer: 'http://127.0.0.1:4000',
  accounts: [],
  models: [],
  project: 'project-1a2b',
  token: 'assay_0f0f',
} as unknown as UpFile

const options = { home: '/home/me/.assay', colors: false, missing: [] }

// Holds D168.
test('the link to the page of jobs has the token in its fragment alone, which no server sees', () => {
  const link = new URL(consoleLink('http://127.0.0.1:4000', up))
  expect(link.pathname).toBe('/jobs')
  expect(link.search).toBe('')
  expect(link.hash).toBe('#project=project-1a2b&token=assay_0f0f')
  expect(banner(up, options)).toContain(link.href)
})

test('without an explorer there is no link', () => {
  const { explorer: _, ...without } = up
  expect(banner(without as UpFile, options)).not.toContain('#project=')
})
