/** The files of deploy/, for their tests. */
import fs from 'node:fs'
import path from 'node:path'

export const DEPLOY: string = path.resolve(import.meta.dirname, '..', '..', 'deploy')

/** The text of a file of deploy/. */
export function readDeploy(...parts: readonly string[]): string {
  return fs.readFileSync(path.join(DEPLOY, ...parts), 'utf8')
}

/** A name with a full version, or with the digest behind it. */
export const IMAGE: RegExp = /^[a-z0-9./-]+:v?\d+\.\d+[\w.-]*(?:@sha256:[0-9a-f]{64})?$/

/** A variable of compose: its name, and what stands for it without one. */
export const VARIABLE: RegExp = /^\$\{(\w+):-(.+)\}$/
