import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { wordsOf } from './completion.ts'
import { bashScript, fishScript, zshScript } from './completionScripts.ts'
import { createProgram } from './program.ts'

const words = wordsOf(createProgram())
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0
for (const shell of ['bash', 'zsh', 'fish'])
  if (!has(shell)) console.warn(`Skipped: ${shell} is not installed, its completion was not run.`)

let folder = ''
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-completion-'))
})
afterAll(() => fs.rmSync(folder, { recursive: true }))

/** A file of that folder. */
function written(name: string, text: string): string {
  const file = path.join(folder, name)
  fs.writeFileSync(file, text)
  return file
}

type Complete = (line: string) => readonly string[]

const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')

/** What bash offers after a line whose last word is being typed. */
const inBash: Complete = (line) => {
  const given = line.split(' ')
  const script = `${bashScript(words)}
COMP_WORDS=(${given.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${given.length - 1}; _assay
printf '%s\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return lines(stdout)
}

/** The driver: a shell on its own terminal gets the line and the Tab key, and prints what it would offer. */
const ZSH_DRIVER = `
zmodload zsh/zpty
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "PROMPT= RPROMPT=; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'compadd() {
  local -a hits
  if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
    builtin compadd -A hits "$@"
    print -rl -- $hits >> '$2'
  fi
  builtin compadd "$@"
}'
zpty -w shell "finish() { print -r -- READY }; zle -N finish; bindkey '^X' finish; bindkey '^I' complete-word"
zpty -w shell 'print -r -- BE"GUN"'
zpty -r shell answer '*BEGUN*'
zpty -n -w shell "$3"$'\\t\\x18'
zpty -r shell answer '*READY*'
zpty -d shell
`

/** What zsh offers, in the file that its completion system loads automatically. */
const inZsh: Complete = (line) => {
  written('_assay', zshScript(words))
  const driver = written('driver.zsh', ZSH_DRIVER)
  const hits = written('hits', '')
  const { status, stderr } = spawnSync('zsh', ['-f', driver, folder, hits, line], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return lines(fs.readFileSync(hits, 'utf8'))
}

/** What fish offers. */
const inFish: Complete = (line) => {
  const script = `source ${written('assay.fish', fishScript(words))}; complete -C '${line}'`
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
  })
  expect(stderr).toBe('')
  return lines(stdout).map((each) => each.split('\t')[0] ?? '')
}

const SHELLS = [
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
] as const

const present = SHELLS.filter(([shell]) => has(shell))

test.each(present)('%s completes commands, their children, options and choices', (_, complete) => {
  expect(complete('assay ')).toEqual(expect.arrayContaining(['up', 'node', 'doctor']))
  expect(complete('assay sta')).toEqual(['status'])
  expect(complete('assay node ch')).toEqual(['check'])
  expect(complete('assay node check --re')).toEqual(['--repair'])
  expect(complete('assay worker --evidence t')).toEqual(['tdx'])
  expect(complete('assay up --json-rpc.ws-a')).toEqual(['--json-rpc.ws-address'])
  expect(complete('assay node --home /somewhere roll')).toEqual(['rollback'])
})

test.runIf(has('bash'))('what is neither command nor option is left to the shell', () => {
  expect(inBash('assay ')).toContain('--help')
  expect(inBash('assay completion f')).toEqual([])
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
    if (!has(shell)) return
    const file = written('script', script)
    const { status, stderr } = spawnSync(shell, [flag, file], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  },
)
