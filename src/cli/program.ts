/** The command line: every command on one screen. */
import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import { dispatcherCommand } from './dispatcher.ts'
import { nodeCommand } from './node.ts'
import { operatorCommand } from './operator.ts'
import { projectCommand } from './project.ts'
import { tokenCommand } from './token.ts'
import { upCommand } from './up.ts'
import { workerCommand } from './worker.ts'

/** A fresh parser with all commands. */
export function createProgram(): Command {
  return new Command('assay')
    .description('An EVM chain on CometBFT consensus and a network that verifies inference.')
    .version(VERSION)
    .showHelpAfterError('Run with --help for all options.')
    .addCommand(upCommand(), { isDefault: false })
    .addCommand(nodeCommand())
    .addCommand(dispatcherCommand())
    .addCommand(operatorCommand())
    .addCommand(workerCommand())
    .addCommand(tokenCommand())
    .addCommand(projectCommand())
}
