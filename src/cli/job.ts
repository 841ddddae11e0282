/** `assay job`: submit jobs, list and follow them, and verify their results. */
import { Command } from 'commander'
import { cancelJobCommand, listJobsCommand, retryJobCommand } from './job/list.ts'
import { receiptCommand } from './job/receipt.ts'
import { replayCommand } from './job/replay.ts'
import { resultCommand, submitCommand, watchCommand } from './job/submit.ts'
import { verifyJobCommand } from './job/verify.ts'

/** The command. */
export function jobCommand(): Command {
  return new Command('job')
    .description('Submit, list and follow jobs, and verify their results.')
    .addCommand(submitCommand())
    .addCommand(watchCommand())
    .addCommand(resultCommand())
    .addCommand(listJobsCommand())
    .addCommand(cancelJobCommand())
    .addCommand(retryJobCommand())
    .addCommand(receiptCommand())
    .addCommand(verifyJobCommand())
    .addCommand(replayCommand())
}
