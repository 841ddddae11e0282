/** `assay node rollback`: one height back. */
import { Command } from 'commander'
import { guarded } from './guarded.ts'
import { addHomeOption } from './options.ts'
import { homeOf, withStoppedNode } from './stoppedNode.ts'

/** The command. */
export function nodeRollbackCommand(): Command {
  return addHomeOption(new Command('rollback'))
    .description(
      'Undo the last block of a stopped node. The next start re-executes that block without signing it again.',
    )
    .action(async (_options: unknown, command: Command) => {
      const home = homeOf(command)
      const { rollbackHome } = await import('../node/rollback.ts')
      await guarded(home, async () => {
        const height = await withStoppedNode(home, () => rollbackHome(home))
        process.stdout.write(
          `The state is now that of block ${height}. Block ${height + 1} will be re-executed.\n`,
        )
      })
    })
}
