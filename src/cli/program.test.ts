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
