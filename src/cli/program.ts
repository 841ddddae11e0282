/** The command line: every command on one screen. */
import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import { accountCommand } from './account.ts'
import { completionCommand } from './completion.ts'
import { dispatcherCommand } from './dispatcher.ts'
import { downCommand } from './down.ts'
import { doctorCommand } from './doctor.ts'
import { localnetCommand } from './localnet.ts'
import { jobCommand } from './job.ts'
import { logsCommand } from './logs.ts'
import { modelCommand } from './model.ts'
import { networkCommand } from './network.ts'
import { nodeCommand } from './node.ts'
import { operatorCommand } from './operator.ts'
import { projectCommand } from './project.ts'
import { registryCommand } from './registry.ts'
import { runCommand } from './run.ts'
import { runtimeCommand } from './runtime.ts'
import { statusCommand } from './status.ts'
import { tokenCommand } from './token.ts'
import { upCommand } from './up.ts'
import { verifyCommand } from './verify.ts'
import { workerCommand } from './worker.ts'

/** A new parser with all commands. */
export function createProgram(): Command {
  const program = new Command('assay')
    .description('An EVM chain on CometBFT consensus and a network that verifies inference.')
    .version(VERSION)
    .showHelpAfterError('Run with --help for all options.')
    // Many flags are long; in 80 columns, their descriptions must still wrap.
    .configureHelp({ minWidthToWrap: 20 })
    .addHelpText('after', '\nGet started: assay up\nOptions of a command: assay <command> --help')
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(nodeCommand())
    .addCommand(localnetCommand())
    .addCommand(networkCommand())
    .addCommand(dispatcherCommand())
    .addCommand(operatorCommand())
    .addCommand(workerCommand())
    .addCommand(accountCommand())
    .addCommand(tokenCommand())
    .addCommand(projectCommand())
    .addCommand(jobCommand())
    .addCommand(runCommand())
    .addCommand(modelCommand())
    .addCommand(runtimeCommand())
    .addCommand(registryCommand())
    .addCommand(verifyCommand())
    .addCommand(statusCommand())
    .addCommand(logsCommand())
    .addCommand(doctorCommand())
    .addCommand(completionCommand(createProgram))
  inheritSettings(program)
  return program
}

/** A command that is created separately from its parent has its own settings until it is given the parent's. */
function inheritSettings(command: Command): void {
  for (const child of command.commands) {
    child.copyInheritedSettings(command)
    inheritSettings(child)
  }
}
