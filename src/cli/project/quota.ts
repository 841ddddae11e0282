/** `assay project quota`: limits of one project. */
import type { Command } from 'commander'
import { integer } from '../../config/types.ts'
import { readOption } from '../options.ts'
import { databaseCommand } from './database.ts'

const FLAGS = {
  perMinute: ['--per-minute', integer(0, 10_000_000)],
  perToken: ['--per-token', integer(0, 10_000_000)],
  perDay: ['--per-day', integer(0, 1_000_000_000)],
} as const

/** The command. */
export function projectQuotaCommand(): Command {
  return databaseCommand('quota', async (sql, command) => {
    const { setLimits } = await import('../../verify/dispatcher/access/projects.ts')
    const [project = ''] = command.args
    const options = command.opts<Partial<Record<keyof typeof FLAGS, string>>>()
    const read = (name: keyof typeof FLAGS): number | null | undefined => {
      const text = options[name]
      const [flag, type] = FLAGS[name]
      if (text === undefined) return undefined
      return text === 'default' ? null : readOption(flag, type, text)
    }
    await setLimits(sql, project, {
      jobsPerMinute: read('perMinute'),
      tokenJobsPerMinute: read('perToken'),
      jobsPerDay: read('perDay'),
    })
    process.stdout.write(`limits of ${project} are set\n`)
  })
    .description('Set limits of a project. 0 is none; "default" is that of the dispatcher.')
    .argument('<project>', 'id of the project')
    .option('--per-minute <jobs>', 'jobs a minute')
    .option('--per-token <jobs>', 'jobs a minute with one token')
    .option('--per-day <jobs>', 'jobs a day (UTC)')
}
