/** `assay node check`: checks a home's chain, and replaces a damaged store. */
import { Command } from 'commander'
import { addHomeOption } from './options.ts'
import { createProgress, progressBar } from './progress.ts'
import { homeOf, withStoppedNode } from './stoppedNode.ts'

/** The command. It exits with 1 when something is wrong and was not repaired. */
export function nodeCheckCommand(): Command {
  return addHomeOption(new Command('check'))
    .description(
      'Check blocks, signatures, roots and indexes of a stopped node, and re-execute every block.',
    )
    .option('--repair', 'rebuild a damaged store from its blocks; the old store is kept')
    .action(async (options: { repair?: boolean }, command: Command) => {
      const home = homeOf(command)
      const { checkHome } = await import('../node/mend.ts')
      const progress = createProgress()
      let shown = -1
      const report = await withStoppedNode(home, () =>
        checkHome(home, options.repair === true, (step, done, of) => {
          const percent = Math.floor((done / of) * 100)
          if (percent === shown) return
          shown = percent
          progress.say(`${step} ${progressBar(done / of)}`)
        }),
      ).finally(() => progress.end())
      const { first, last, faults, damagedStore, notExecuted } = report
      for (const fault of faults) process.stdout.write(`wrong: ${fault}\n`)
      if (notExecuted !== undefined)
        process.stdout.write(`${notExecuted}, so no blocks were re-executed.\n`)
      if (damagedStore !== undefined)
        process.stdout.write(`Repaired. The damaged store is in ${damagedStore}\n`)
      else if (faults.length === 0) process.stdout.write(`Blocks ${first} to ${last} are valid.\n`)
      else {
        process.stdout.write(`To repair: assay node check --repair --home ${home.folder}\n`)
        process.exitCode = 1
      }
    })
}
