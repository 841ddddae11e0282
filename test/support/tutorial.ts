/** Runs a tutorial: writes its files, types its commands, and compares the output with what it promises. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'

/** A fenced block: the language and what follows it on the fence's line. */
export type Block = { readonly language: string; readonly attribute: string; readonly text: string }

/** The fenced blocks of a page, in order. */
export function blocksOf(markdown: string): readonly Block[] {
  return [...markdown.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(
    ([, language = '', attribute = '', text = '']) => ({ language, attribute, text }),
  )
}

/** Maximum time of a tutorial, so that one that hangs ends with what it printed. */
const PATIENCE_MS = 150_000

/** Runs commands in one shell that ends at the first failure; ends what they leave in the background. Gives the output. */
async function typeIn(
  folder: string,
  commands: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const shell = spawn('bash', ['-c', `set -euo pipefail\n${commands}`], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, by which all that it started can be ended.
    detached: true,
    timeout: PATIENCE_MS,
  })
  let output = ''
  shell.stdout.on('data', (chunk) => (output += chunk))
  shell.stderr.on('data', (chunk) => (output += chunk))
  // What runs in the background holds the pipes open until it is ended.
  shell.once('exit', () => endGroup(shell.pid))
  const [code] = await once(shell, 'close')
  if (code !== 0) throw new Error(`exit code ${code} after:\n${output}`)
  return output
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGTERM')
  } catch (error) {
    // Nothing is left of it.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** What a line of a `text` block must look like: addresses and hashes are left open. */
function patternOf(line: string): RegExp {
  const open = line.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return new RegExp(open.replaceAll('0x', '0x[0-9a-fA-F]*'))
}

/** Runs a tutorial in an empty folder, and returns the promised lines that were missing. `sh setup` is the caller's. */
export async function runTutorial(
  file: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly missing: readonly string[]; readonly output: string }> {
  const blocks = blocksOf(fs.readFileSync(file, 'utf8'))
  for (const { attribute, text } of blocks) {
    const name = /^file=(\S+)$/.exec(attribute)?.[1]
    if (name === undefined) continue
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
  const commands = blocks.filter(({ language, attribute }) => language === 'sh' && attribute === '')
  const output = await typeIn(folder, commands.map(({ text }) => text).join('\n'), env)
  const promised = blocks
    .filter(({ language }) => language === 'text')
    .flatMap(({ text }) => text.split('\n').filter((line) => line !== ''))
  return { missing: promised.filter((line) => !patternOf(line).test(output)), output }
}
