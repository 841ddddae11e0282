import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homePaths, type Home } from '../config/home.ts'
import { readDatedFiles } from './datedFiles.ts'

let home: Home
beforeEach(() => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-metrics-')))
  fs.mkdirSync(home.data)
})
afterEach(() => fs.rmSync(home.folder, { recursive: true, force: true }))

test('the newest complete snapshot and the last backup are told, and none is 0', () => {
  const none = { height: 0, time: 0 }
  expect(readDatedFiles(home)).toEqual({ snapshot: none, backup: none })
  for (const name of ['90-1', '100-1', '110-1.partial'])
    fs.mkdirSync(path.join(home.snapshots, name), { recursive: true })
  fs.utimesSync(path.join(home.snapshots, '100-1'), 1_700_000_000, 1_700_000_000)
  fs.writeFileSync(home.lastBackup, '{"height":95,"time":1700000001}')
  expect(readDatedFiles(home)).toEqual({
    snapshot: { height: 100, time: 1_700_000_000 },
    backup: { height: 95, time: 1_700_000_001 },
  })
  fs.writeFileSync(home.lastBackup, '{"height":')
  expect(readDatedFiles(home).backup).toEqual(none)
})
