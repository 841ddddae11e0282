/** `assay job verify`: what a receipt bundle proves, line by line, without asking any server. */
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { JOB_ID } from '../../proof/job/job.ts'
import { readBundle, readText } from './client.ts'
import { requireOneInput } from './inputText.ts'
import { executeAnswers } from './runs.ts'
import { printReport, readFacts } from './verifyReport.ts'
import { addTrustOptions, readTrust, type TrustFlags } from './verifyTrust.ts'

type Flags = TrustFlags & { readonly require?: string; readonly json?: true }

async function verify(source: string, flags: Flags): Promise<void> {
  const required = flags.require === undefined ? [] : readFacts(flags.require)
  const { model, promptFile } = flags
  requireOneInput(source, promptFile, flags.requestFile)
  const prompt = readText(promptFile)
  if (model !== undefined && prompt === undefined)
    throw new UserError('--model requires --prompt-file')
  const json = await readBundle(source, flags)
  const executions =
    model === undefined
      ? undefined
      : await executeAnswers(json, { prompt: prompt ?? '', modelFile: model })
  const named = JOB_ID.test(source) ? { job: source, ...flags } : flags
  const trust = await readTrust(named, executions)
  const { verifyBundle } = await import('../../proof/bundle/verify.ts')
  const { nodeContext } = await import('../../jobs/bundleContext.ts')
  const report = await verifyBundle(json, trust, nodeContext)
  const code = printReport(report, required, flags.json === true)
  if (code !== 0) process.exitCode = code
}

/** The command. */
export function verifyJobCommand(): Command {
  return addTrustOptions(new Command('verify'))
    .description('Verify a receipt bundle offline: what passes, what fails, what was not checked.')
    .argument(
      '<bundle>',
      'bundle file, - for standard input, or a job id to fetch the bundle first',
    )
    .option(
      '--require <facts>',
      'facts that every answer needs, separated by commas: signed, anchored, refereed, re-executed, software, hardware',
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
Exit codes: 0 it holds, and every answer has the required facts (without --require: one of signed, re-executed, hardware);
1 a check failed; 3 nothing failed, but a required fact is not established, because you did not name what to trust.`,
    )
    .action(verify)
}
