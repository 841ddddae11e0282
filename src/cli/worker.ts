/** `assay worker`: the worker that a tee operator asks. */
import { Command } from 'commander'
import { homePaths } from '../config/home.ts'
import { listenAddress } from '../config/types.ts'
import { addHomeOption, logLevelOf, readOption } from './options.ts'
import { runService } from './service.ts'

/** The command. */
export function workerCommand(): Command {
  return addHomeOption(new Command('worker'))
    .description('Run the worker of a tee operator: computes answers and attests to them.')
    .option('--address <host:port>', 'where to listen; port 0 takes a free one', '127.0.0.1:0')
    .action(async (options: { home: string; address: string }) => {
      const home = homePaths(options.home)
      const { host, port } = readOption('--address', listenAddress, options.address)
      const { runWorker } = await import('../verify/worker/worker.ts')
      await runService('worker', logLevelOf(home), async ({ signal, log, ready }) => {
        const worker = await runWorker(
          {
            host,
            port,
            modelsFolder: home.models,
            folder: home.worker,
            secretFile: home.workerSecret,
          },
          { log, signal },
        )
        ready({ address: worker.address })
        return () => worker.close()
      })
    })
}
