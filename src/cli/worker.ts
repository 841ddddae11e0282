/** `assay worker`: the worker that a tee operator asks. */
import path from 'node:path'
import { Command } from 'commander'
import { homePaths } from '../config/home.ts'
import { address } from '../config/types.ts'
import { addHomeOption } from './options.ts'
import { runService } from './service.ts'

/** The command. */
export function workerCommand(): Command {
  return addHomeOption(new Command('worker'))
    .description('Run the worker of a tee operator: computes answers and attests to them.')
    .option('--address <host:port>', 'where to listen; port 0 takes a free one', '127.0.0.1:0')
    .action(async (options: { home: string; address: string }) => {
      const home = homePaths(options.home)
      const { host, port } = address.parse(options.address)
      const { runWorker } = await import('../verify/worker/worker.ts')
      await runService(
        'worker',
        process.env['ASSAY_LOG_LEVEL'] ?? 'info',
        async ({ signal, log, ready }) => {
          const worker = await runWorker(
            {
              host,
              port,
              modelsFolder: home.models,
              folder: home.worker,
              secretFile: path.join(home.worker, 'secret'),
            },
            { log, signal },
          )
          ready({ address: worker.address })
          return () => worker.close()
        },
      )
    })
}
