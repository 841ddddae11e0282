/** Completion scripts for three shells. */

/** What can follow a command, which is given by its path below the program ("node", "check"). */
export type CommandWords = {
  readonly path: readonly string[]
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly {
    readonly flag: string
    readonly description: string
    readonly choices: readonly string[]
  }[]
}

const HEAD = '# Made by assay completion.'

function listOf({ commands, options }: CommandWords): string {
  return [...commands.map(({ name }) => name), ...options.map(({ flag }) => flag)].join(' ')
}

/** Patterns of a `case` for all paths except the program itself. */
function pathsOf(all: readonly CommandWords[]): string {
  const paths = all.map(({ path }) => path.join(' ')).filter((path) => path !== '')
  return paths.map((path) => `" ${path}"`).join('|')
}

function choicesOf(all: readonly CommandWords[]): ReadonlyMap<string, readonly string[]> {
  const found = all.flatMap(({ options }) => options).filter(({ choices }) => choices.length > 0)
  return new Map(found.map(({ flag, choices }) => [flag, choices]))
}

/** Finds the command in the words before the cursor; the same in bash and zsh. */
function findPath(all: readonly CommandWords[], words: string, end: string, first: number): string {
  return `  local at="" i
  for ((i = ${first}; i < ${end}; i++)); do
    case "$at ${words}" in
      ${pathsOf(all)}) at="$at ${words}" ;;
    esac
  done`
}

/** For bash 4 and newer. Anything that is neither a command nor an option completes as a file. */
export function bashScript(all: readonly CommandWords[]): string {
  const choices = [...choicesOf(all)].map(
    ([flag, values]) =>
      `    ${flag}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current")); return ;;`,
  )
  const cases = all.map(
    (each) =>
      `    "${each.path.map((word) => ` ${word}`).join('')}") COMPREPLY=($(compgen -W "${listOf(each)}" -- "$current")) ;;`,
  )
  return `${HEAD}
_assay() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
${findPath(all, '${COMP_WORDS[i]}', 'COMP_CWORD', 1)}
  case "$before" in
${choices.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
}
complete -o default -F _assay assay
`
}

/** A string in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The first sentence, for a list. */
function brief(description: string): string {
  return (description.split(/(?<=\.) /)[0] ?? '').replaceAll(/[\s:]+/g, ' ')
}

/** For zsh. */
export function zshScript(all: readonly CommandWords[]): string {
  const choices = [...choicesOf(all)].map(
    ([flag, values]) => `    ${flag}) compadd -- ${values.map(quoted).join(' ')}; return ;;`,
  )
  const cases = all.map(({ path, commands, options }) => {
    const words = [
      ...commands.map(({ name, description }) => quoted(`${name}:${brief(description)}`)),
      ...options.map(({ flag, description }) => quoted(`${flag}:${brief(description)}`)),
    ]
    return `    "${path.map((word) => ` ${word}`).join('')}") found=(${words.join(' ')}) ;;`
  })
  return `#compdef assay
${HEAD}
_assay() {
  local -a found
${findPath(all, '${words[i]}', 'CURRENT', 2)}
  case "\${words[CURRENT-1]}" in
${choices.join('\n')}
  esac
  case "$at" in
${cases.join('\n')}
  esac
  _describe assay found || _files
}
if [ "$funcstack[1]" = _assay ]; then _assay "$@"; else compdef _assay assay; fi
`
}

/** For fish. */
export function fishScript(all: readonly CommandWords[]): string {
  const lines = all.flatMap(({ path, commands, options }) => {
    const when = `-n ${quoted(`__assay_at ${path.join(' ')}`.trim())}`
    return [
      ...commands.map(
        ({ name, description }) =>
          `complete -c assay ${when} -f -a ${name} -d ${quoted(brief(description))}`,
      ),
      ...options.map(({ flag, description, choices }) => {
        const values = choices.length === 0 ? '' : ` -x -a ${quoted(choices.join(' '))}`
        return `complete -c assay ${when} -l ${flag.slice(2)}${values} -d ${quoted(brief(description))}`
      }),
    ]
  })
  const paths = all.filter(({ path }) => path.length > 0).map(({ path }) => quoted(path.join(' ')))
  return `${HEAD}
function __assay_at
  set -l at
  for word in (commandline -opc)[2..-1]
    contains -- (string join -- ' ' $at $word) ${paths.join(' ')}; and set -a at $word
  end
  test "$at" = "$argv"
end
${lines.join('\n')}
`
}
