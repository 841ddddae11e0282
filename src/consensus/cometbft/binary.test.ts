import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { completeCometbftHome } from './binary.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-binary-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** A program that writes the lines of config.toml that matter here, as `cometbft init --home <folder>` does. */
const binary = path.join(folder, 'cometbft')
fs.writeFileSync(
  binary,
  `#!/bin/sh\nprintf '[tx_index]\\nindexer = "kv"\\npsql-conn = ""\\n' > "$3/config/config.toml"\n`,
  { mode: 0o755 },
)

function newHome(name: string): string {
  const home = path.join(folder, name)
  fs.mkdirSync(path.join(home, 'config'), { recursive: true })
  return home
}

const configOf = (home: string) => fs.readFileSync(path.join(home, 'config', 'config.toml'), 'utf8')

// Holds D97.
test('a new config.toml has the index of transactions on or off, and an existing one is kept', async () => {
  const off = newHome('off')
  await completeCometbftHome(binary, off, false)
  expect(configOf(off)).toBe('[tx_index]\nindexer = "null"\npsql-conn = ""\n')
  await completeCometbftHome(binary, off, true)
  expect(configOf(off)).toContain('indexer = "null"')
  const on = newHome('on')
  await completeCometbftHome(binary, on, true)
  expect(configOf(on)).toContain('indexer = "kv"')
  await completeCometbftHome(binary, on, false)
  expect(configOf(on)).toContain('indexer = "kv"')
})
