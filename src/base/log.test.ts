import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { expect, test } from 'vitest'
import { TYPESCRIPT_FLAGS } from '../../test/support/typescript/flags.ts'

const FULL = '/dev/full'

test.runIf(fs.existsSync(FULL))('a log that cannot be written is no reason to end', () => {
  const script = `
    import { createLog } from ${JSON.stringify(new URL('./log.ts', import.meta.url).href)}
    const log = createLog('test')
    for (let line = 0; line < 100_000; line++) log.info('the disk is full')
    setTimeout(() => console.log(process.memoryUsage().rss < 300_000_000 ? 'alive' : 'swollen'), 50)`
  const full = fs.openSync(FULL, 'w')
  const { stdout } = spawnSync(
    process.execPath,
    [...TYPESCRIPT_FLAGS, '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'pipe', full],
      encoding: 'utf8',
    },
  )
  fs.closeSync(full)
  expect(stdout).toBe('alive\n')
})
