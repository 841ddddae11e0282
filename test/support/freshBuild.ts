/**
 * Fails a run immediately, with that reason, when the build is from different sources than those in the tree. The
 * scripts of package.json build first; this is for Vitest alone.
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import type { TestProject } from 'vitest/node'

const script = path.resolve(import.meta.dirname, '..', '..', 'scripts', 'build.mjs')

/** Projects that run the sources: of the build they only need what they import from src/generated. */
const WITHOUT_PROGRAM: ReadonlySet<string> = new Set(['unit', 'vectors'])

/** Throws when the built program, or only what is generated, is not what the sources would give. */
export function requireFreshBuild(part: 'all' | 'generated' = 'all'): void {
  const option = part === 'all' ? '--check' : `--check=${part}`
  const { status, stderr } = spawnSync(process.execPath, [script, option], { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr.trim())
}

export function setup({ name }: TestProject): void {
  requireFreshBuild(WITHOUT_PROGRAM.has(name) ? 'generated' : 'all')
}
