import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { wordsOf } from './completion.ts'
import { bashScript, fishScript, zshScript } from './completionScripts.ts'
import { createProgram } from './program.ts'

const words = wordsOf(createProgram())
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

/** What bash offers after a line, whose last word is being written. */
function complete(line: string): readonly string[] {
  const given = line.split(' ')
  const script = `${bashScript(words)}
COMP_WORDS=(${given.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${given.length - 1}; _assay
printf '%s\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test.runIf(has('bash'))('bash completes commands, their children, options and choices', () => {
  expect(complete('assay ')).toEqual(expect.arrayContaining(['up', 'node', 'doctor', '--help']))
  expect(complete('assay sta')).toEqual(['status'])
  expect(complete('assay node ch')).toEqual(['check'])
  expect(complete('assay node check --re')).toEqual(['--repair'])
  expect(complete('assay worker --evidence t')).toEqual(['tdx'])
  expect(complete('assay up --json-rpc.ws-a')).toEqual(['--json-rpc.ws-address'])
  expect(complete('assay node --home /somewhere roll')).toEqual(['rollback'])
  expect(complete('assay completion f')).toEqual([])
})

test.each([
  ['bash', bashScript, '-n'],
  ['zsh', zshScript, '-n'],
  ['fish', fishScript, '--no-execute'],
] as const)(
  'the script of %s names every command, and the shell can read it',
  (shell, make, flag) => {
    const script = make(words)
    for (const { path } of words) for (const word of path) expect(script).toContain(word)
    if (!has(shell)) return console.warn(`${shell} is not installed: its script was not read`)
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-completion-'))
    const file = path.join(folder, 'script')
    fs.writeFileSync(file, script)
    const { status, stderr } = spawnSync(shell, [flag, file], { encoding: 'utf8' })
    fs.rmSync(folder, { recursive: true })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  },
)
