/** `assay node rollback`: one height back. */
import { Command } from 'commander'
import { addHomeOption } from './options.ts'
import { homeOf, withStoppedNode } from './stoppedNode.ts'

/** The command. */
export function nodeRollbackCommand(): Command {
  return addHomeOption(new Command('rollback'))
    .description(
      'Take back what the last block of a stopped node did. The next start executes that block again; it is not signed again.',
    )
    .action(async (_options: unknown, command: Command) => {
      const home = homeOf(command)
      const { rollbackHome } = await import('../node/rollback.ts')
      const height = await withStoppedNode(home, () => rollbackHome(home))
      process.stdout.write(
        `The state is that of block ${height}. Block ${height + 1} will be executed again.\n`,
      )
    })
}
