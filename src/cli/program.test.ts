import fs from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProgram } from './program.ts'

function commandsOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsOf)]
}

function helpOf(command: Command): string {
  return command.configureOutput({ getOutHelpWidth: () => 80 }).helpInformation()
}

// The default of --home depends on whoever runs the tests.
beforeEach(() => void vi.stubEnv('ASSAY_HOME', '/home'))
afterEach(() => void vi.unstubAllEnvs())

test('every help page fits into 80 columns', () => {
  for (const command of commandsOf(createProgram()))
    for (const line of helpOf(command).split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('settings are grouped by section, and show what they expect', () => {
  const up = commandsOf(createProgram()).find((command) => command.name() === 'up')
  const help = up === undefined ? '' : helpOf(up)
  expect(help).toContain('Options of json-rpc:')
  expect(help).toContain('--json-rpc.address <host:port>')
  expect(help).toContain('--json-rpc.block-profile <spec|ethereum>')
  expect(help).toContain('--state.archive [true|false]')
})

test('a wrong option of any command points to --help', async () => {
  for (const words of [['up'], ['token', 'create'], ['project', 'create']]) {
    const program = createProgram()
    let errors = ''
    for (const command of commandsOf(program))
      command.exitOverride().configureOutput({ writeErr: (text) => void (errors += text) })
    await expect(program.parseAsync([...words, '--bogus'], { from: 'user' })).rejects.toThrow()
    expect(errors).toContain('--help')
  }
})

test('every command that a file exports is part of the program', () => {
  const files = fs
    .readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  const texts = files.map((file) => fs.readFileSync(path.join(import.meta.dirname, file), 'utf8'))
  const unused = files.flatMap((file, at) =>
    [...(texts[at] ?? '').matchAll(/^export function (\w+Command)\(/gm)]
      .filter(([, name]) => !texts.some((text, other) => other !== at && text.includes(`${name}(`)))
      .map(([, name]) => `add ${name} of src/cli/${file} to src/cli/program.ts, or to its parent`),
  )
  expect(unused).toEqual([])
})

test('the README lists every command', () => {
  const readme = fs.readFileSync(path.join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
  const programs = readme.slice(readme.indexOf('## Programs'), readme.indexOf('## Reading on'))
  const unlisted = createProgram()
    .commands.map((command) => command.name())
    .filter((name) => !new RegExp(`\`assay ${name}\\b|/ \`${name}\``).test(programs))
  expect(unlisted.map((name) => `add assay ${name} to the programs of README.md`)).toEqual([])
})
