import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { completeCometbftHome, hasAppMempool, requireCometbft } from './binary.ts'

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

/** A program that prints a version, and carries what Go records about its module. */
function printing(name: string, version: string, module = ''): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, `#!/bin/sh\necho ${version}\nexit 0\n${module}\n`, { mode: 0o755 })
  return file
}
const moduleLine = (version: string) => `mod\tgithub.com/cometbft/cometbft\t${version}\t`

// Holds D68 and D99.
test('0.40.0 is known by its module where it prints the version of 0.39', async () => {
  expect(await requireCometbft(printing('v38', '0.38.25'))).toBe('0.38.25')
  const printed = [
    printing('v40', '0.39.0', moduleLine('v0.40.0')),
    printing('v39', '0.39.0', moduleLine('v0.39.3')),
    printing('unknown', '0.39.0'),
  ]
  const versions = await Promise.all(printed.map(requireCometbft))
  expect(versions).toEqual(['0.40.0', '0.39.3', '0.39.0'])
  expect(versions.map(hasAppMempool)).toEqual([true, false, false])
  await expect(requireCometbft(printing('v1', '1.0.1'))).rejects.toThrow('0.38, 0.39 or 0.40')
})
