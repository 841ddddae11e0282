/** `assay operator`: prepares an operator's database (-i) or runs an operator (-c). */
import { Command } from 'commander'
import { openTracer } from '../base/tracing/settings.ts'
import { UserError } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { databaseUrl } from '../config/url.ts'
import { registerCommand, withdrawCommand } from './operator/register.ts'
import { readOption } from './options.ts'
import { runService } from './service.ts'

/** The command. */
export function operatorCommand(): Command {
  return new Command('operator')
    .description('Run an operator, or prepare its database.')
    .option(
      '-i, --init <url>',
      'create and migrate the database postgres://… and exit; never drops anything',
    )
    .option('-c, --config <file>', 'run with this configuration file (YAML or TOML)')
    .addCommand(registerCommand())
    .addCommand(withdrawCommand())
    .action(async (options: { init?: string; config?: string }) => {
      if (options.init !== undefined) {
        const { initOperatorDatabase } = await import('../jobs/operator/database.ts')
        const url = readOption('--init', databaseUrl, options.init)
        await initOperatorDatabase(url, createLog('operator', 'warn'))
        process.stdout.write('The database is ready.\n')
      }
      if (options.config !== undefined) await run(options.config)
      else if (options.init === undefined)
        throw new UserError(
          'nothing to do',
          'Pass -c FILE to run, or -i URL to prepare a database.',
        )
    })
}

async function run(file: string): Promise<void> {
  const { loadOperatorConfig } = await import('../config/operator.ts')
  const config = loadOperatorConfig(file)
  const { runOperator } = await import('../jobs/operator/operator.ts')
  await runService('operator', config.log_level, async ({ signal, log, ready }) => {
    // An operator's own file has no such key: it may run far from any home.
    const tracer = openTracer('operator', { endpoint: '' }, process.env, log)
    const operator = await runOperator(config, { log, signal, tracer })
    void operator.connected.then(() =>
      ready(operator.metrics === undefined ? {} : { metrics: operator.metrics }),
    )
    return async () => {
      await operator.close()
      await tracer?.close()
    }
  })
}
