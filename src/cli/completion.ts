/** `assay completion`: what a shell needs to complete commands and options, generated from the commands themselves. */
import { Argument, Command } from 'commander'
import { bashScript, fishScript, zshScript, type CommandWords } from './completionScripts.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** The words of a command and of all its subcommands. */
export function wordsOf(command: Command, path: readonly string[] = []): readonly CommandWords[] {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const own: CommandWords = {
    path,
    commands: commands.map((child) => ({
      name: child.name(),
      description: child.description(),
    })),
    options: help
      .visibleOptions(command)
      .flatMap(({ long, description, argChoices }) =>
        long === undefined || long === null
          ? []
          : [{ flag: long, description, choices: argChoices ?? [] }],
      ),
  }
  return [own, ...command.commands.flatMap((child) => wordsOf(child, [...path, child.name()]))]
}

/** The command; `root` returns the program with all commands. */
export function completionCommand(root: () => Command): Command {
  return new Command('completion')
    .description('Print a shell completion script.')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      '\nbash: assay completion bash > ~/.local/share/bash-completion/completions/assay' +
        '\nzsh:  assay completion zsh > "${fpath[1]}/_assay"' +
        '\nfish: assay completion fish > ~/.config/fish/completions/assay.fish',
    )
    .action((shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell](wordsOf(root())))
    })
}
