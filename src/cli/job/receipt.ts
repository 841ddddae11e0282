/** `assay job receipt`: the bundle with which anyone can verify the answers to a job. */
import fs from 'node:fs'
import { Command } from 'commander'
import { addClientOptions, jobIdOf, openClient, type ClientFlags } from './client.ts'

/** The command. */
export function receiptCommand(): Command {
  return addClientOptions(new Command('receipt'))
    .description('Fetch the receipt bundle of a job, for assay job verify.')
    .argument('<id>', 'job id')
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .action(async (id: string, options: ClientFlags & { output?: string }) => {
      const bundle = await openClient(options).get(`/api/job/receipt/${jobIdOf(id)}`)
      const text = `${JSON.stringify(bundle, undefined, 2)}\n`
      if (options.output === undefined) process.stdout.write(text)
      else fs.writeFileSync(options.output, text)
    })
}
