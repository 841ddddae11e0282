/** A copy of the checkout in which recipes are followed, with the packages of the original. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { applyChange, type Step } from './recipe.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

/** What a copy does without: packages are linked, and the rest is of no use to it. */
const LEFT_OUT: ReadonlySet<string> = new Set(
  ['.git', '.dev', 'node_modules', 'runtime', 'coverage', 'release'].map((name) =>
    path.join(root, name),
  ),
)

export type Scratch = {
  readonly folder: string
  /** Follows steps; where they are commands, only if `commands` says so. */
  follow(steps: readonly Step[], options?: { readonly commands?: boolean }): Promise<void>
  /** Runs a command line; gives its exit code and all that it printed. */
  run(command: string): Promise<{ readonly code: unknown; readonly output: string }>
  /** Puts back what steps have changed. */
  restore(): void
  remove(): void
}

/** Copies the checkout as it is. */
export function createScratch(): Scratch {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-recipes-'))
  fs.cpSync(root, folder, {
    recursive: true,
    preserveTimestamps: true,
    mode: fs.constants.COPYFILE_FICLONE,
    filter: (file) => !LEFT_OUT.has(file),
  })
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  /** Folders and files at the top, of which something was changed. */
  const touched = new Set<string>()

  async function run(command: string) {
    // As in a shell of its own: a test runner inside a test runner must not take itself for a worker.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(
        ([name]) => !/^(?:VITEST|VITE_|TEST$|NODE_ENV$)/.test(name),
      ),
    )
    const child = spawn('bash', ['-c', command], {
      cwd: folder,
      env: { ...env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const [code]: readonly unknown[] = await once(child, 'close')
    return { code, output }
  }

  return {
    folder,
    run,
    async follow(steps, { commands = false } = {}) {
      for (const change of steps.flatMap((step) => step.changes)) {
        touched.add(change.file.split('/')[0] ?? '')
        applyChange(folder, change)
      }
      if (!commands) return
      // References and the types of the client.
      for (const written of ['docs', 'src']) touched.add(written)
      // Commands that several recipes share run once.
      for (const command of new Set(steps.flatMap((step) => step.commands))) {
        const { code, output } = await run(command)
        if (code !== 0) throw new Error(`${command}\n${output}`)
      }
    },
    restore() {
      for (const name of touched) {
        fs.rmSync(path.join(folder, name), { recursive: true })
        fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
      }
      touched.clear()
    },
    remove: () => fs.rmSync(folder, { recursive: true, force: true }),
  }
}
