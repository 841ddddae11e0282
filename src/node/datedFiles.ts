/** Heights and times of files that a node leaves: its newest state-sync snapshot, and the note of its last backup. */
import fs from 'node:fs'
import path from 'node:path'
import type { Home } from '../config/home.ts'

/** A height and when its file was written, in seconds since 1970; zeros if there is none. */
export type Dated = { readonly height: number; readonly time: number }

const NONE: Dated = { height: 0, time: 0 }

/** Snapshots are folders that are named after height and format; unfinished ones have a suffix. */
const SNAPSHOT = /^(\d+)-\d+$/

function newestSnapshot(folder: string): Dated {
  const heights = fs
    .readdirSync(folder)
    .map((name) => ({ name, height: Number(SNAPSHOT.exec(name)?.[1] ?? 0) }))
    .sort((a, b) => b.height - a.height)
  const [newest] = heights
  if (newest === undefined || newest.height === 0) return NONE
  const { mtimeMs } = fs.statSync(path.join(folder, newest.name))
  return { height: newest.height, time: mtimeMs / 1000 }
}

function lastBackup(file: string): Dated {
  const { height, time }: { height?: unknown; time?: unknown } = JSON.parse(
    fs.readFileSync(file, 'utf8'),
  ) as object
  return typeof height === 'number' && typeof time === 'number' ? { height, time } : NONE
}

/** What is missing or being replaced counts as none. */
function orNone(read: () => Dated): Dated {
  try {
    return read()
  } catch {
    return NONE
  }
}

/** What the files of a home say. */
export function readDatedFiles(home: Home): Readonly<Record<'snapshot' | 'backup', Dated>> {
  return {
    snapshot: orNone(() => newestSnapshot(home.snapshots)),
    backup: orNone(() => lastBackup(home.lastBackup)),
  }
}
