/** `assay node check`: checks a home's chain, and replaces a damaged store. */
import { Command } from 'commander'
import type { Home } from '../config/home.ts'
import { guarded, type Note } from './guarded.ts'
import { addHomeOption } from './options.ts'
import { createProgress, progressBar } from './progress.ts'
import { homeOf, withStoppedNode } from './stoppedNode.ts'

const EXIT_CODES = `
Exit codes: 0 everything is valid, or was repaired; 1 something is wrong, and is named; 65 reading the store ended by a signal, as
on a disk that fails.`

/** The command. It exits with 1 when something is wrong and was not repaired. */
export function nodeCheckCommand(): Command {
  return addHomeOption(new Command('check'))
    .description(
      'Check blocks, signatures, roots and indexes of a stopped node, and re-execute every block.',
    )
    .option('--repair', 'rebuild a damaged store from its blocks; the old store is kept')
    .addHelpText('after', EXIT_CODES)
    .action(async (options: { repair?: boolean }, command: Command) => {
      const home = homeOf(command)
      await guarded(home, (note) => check(home, options.repair === true, note))
    })
}

async function check(home: Home, repair: boolean, note: Note): Promise<void> {
  const { checkHome } = await import('../node/mend.ts')
  const progress = createProgress()
  let shown = ''
  const report = await withStoppedNode(home, () =>
    checkHome(home, repair, (step, done, of) => {
      const text = `${step} ${progressBar(done / of)}`
      if (text === shown) return
      shown = text
      progress.say(text)
      note(`(${step}, ${done} of ${of})`)
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
}
