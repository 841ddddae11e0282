/** `assay project quota`: limits of one project. */
import type { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { integer } from '../../config/types.ts'
import { readOption } from '../options.ts'
import { databaseCommand } from './database.ts'

const FLAGS = {
  perMinute: ['--per-minute', integer(0, 10_000_000)],
  perToken: ['--per-token', integer(0, 10_000_000)],
  perDay: ['--per-day', integer(0, 1_000_000_000)],
  tokensPerMinute: ['--tokens-per-minute', integer(0, 1_000_000_000)],
} as const

function readAgreement(text: string): { k: number; n: number } | undefined {
  if (text === 'any') return undefined
  const [, k, n] = /^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []
  if (k === undefined || n === undefined)
    throw new UserError(`--agree: "${text}" is not k/n`, 'Use k/n, such as 2/3, or any.')
  return { k: Number(k), n: Number(n) }
}

/** The command. */
export function projectQuotaCommand(): Command {
  return databaseCommand('quota', async (sql, command) => {
    const { setAgreement, setLimits } = await import('../../jobs/dispatcher/access/projects.ts')
    const [project = ''] = command.args
    const options = command.opts<Partial<Record<keyof typeof FLAGS | 'agree', string>>>()
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
      tokensPerMinute: read('tokensPerMinute'),
    })
    if (options.agree !== undefined) await setAgreement(sql, project, readAgreement(options.agree))
    process.stdout.write(`limits of ${project} set\n`)
  })
    .description(
      'Set the limits of a project. 0 means unlimited; "default" restores the limit of the dispatcher.',
    )
    .argument('<project>', 'id of the project')
    .option('--per-minute <jobs>', 'maximum jobs per minute')
    .option('--per-token <jobs>', 'maximum jobs per minute with one token')
    .option('--per-day <jobs>', 'maximum jobs per day (UTC)')
    .option('--tokens-per-minute <tokens>', 'maximum tokens of prompts and answers')
    .option('--agree <k/n>', 'k of n operators must give the same answer; "any" accepts any answer')
}
