/** Other people's programs for tests: installed from npm on first use, outside our own dependencies. */
import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'

type Install = (name: string, dependencies: Readonly<Record<string, string>>) => string

const installer = new URL('../../bench/support/install.mjs', import.meta.url).href

/** The folder with these packages (versions by name). */
export async function install(
  name: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<string> {
  const { installPeer } = (await import(installer)) as { readonly installPeer: Install }
  return installPeer(name, dependencies)
}

/** What a package of such a folder exports; the caller says what that is. */
export function requireFrom(folder: string, name: string): unknown {
  return createRequire(path.join(folder, 'package.json'))(name)
}

/** Runs a program to its end and resolves with its output. Rejects with all of its output when it fails. */
export async function run(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  const env = { ...process.env, ...options.env }
  return await new Promise((resolve, reject) => {
    execFile(
      file,
      [...args],
      { cwd: options.cwd, env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout.trim())
        else reject(new Error(`${path.basename(file)} failed:\n${stdout}\n${stderr}`))
      },
    )
  })
}
