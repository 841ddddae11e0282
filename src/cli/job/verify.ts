/** `assay job verify`: what a receipt bundle proves, line by line, without asking any server. */
import { Command, Option } from 'commander'
import { UserError } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import { RECEIPTS_ADDRESS } from '../../config/contracts.ts'
import { address } from '../../config/hexTypes.ts'
import { oneOf } from '../../config/types.ts'
import type { Execution } from '../../proof/bundle/trust.ts'
import type { Report } from '../../proof/bundle/report.ts'
import { readOption } from '../options.ts'
import { hashText } from '../verify/options.ts'
import { addClientOptions, readBundle, readText, type ClientFlags } from './client.ts'

type Flags = ClientFlags & {
  readonly chainId?: string
  readonly validatorsHash?: string
  readonly trustedHash?: string
  readonly stateRoot?: string
  readonly receiptsContract: string
  readonly dispatcherAddress?: string
  readonly operator?: readonly string[]
  readonly hardwareEvidence?: string
  readonly softwareEvidence: string
  readonly promptFile?: string
  readonly model?: string
  readonly json?: true
}

const MARKS = { holds: 'ok', fails: 'FAIL', unchecked: 'not checked' } as const

// Strings from a hostile dispatcher reach the terminal here: remove control characters.
const clean = (text: string): string => text.replace(/\p{Cc}/gu, '?')

function print({ lines, levels, holds }: Report, isJson: boolean): void {
  if (isJson) {
    const report = { holds, levels: levels.map((level) => level ?? null), lines }
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`)
    return
  }
  for (const { about, status, text } of lines)
    process.stdout.write(`${MARKS[status].padEnd(11)}  ${about}: ${clean(text)}\n`)
  for (const [at, level] of levels.entries())
    process.stdout.write(`Trust level of answer ${at + 1}: ${level ?? 'none'}\n`)
  const open = lines.filter(({ status }) => status === 'unchecked').length
  process.stdout.write(
    holds
      ? `All checks passed; ${open} ${open === 1 ? 'item was' : 'items were'} not checked.\n`
      : 'NOT PROVEN.\n',
  )
}

async function trustOf(flags: Flags, executions: ReadonlyMap<string, Execution> | undefined) {
  const { chainId, validatorsHash, trustedHash, stateRoot } = flags
  const addressOf = (flag: string, text: string) => toHex(readOption(flag, address, text))
  const software = readOption(
    '--software-evidence',
    oneOf('accept', 'refuse'),
    flags.softwareEvidence,
  )
  const { readEvidencePolicy } = await import('../../jobs/evidencePolicy.ts')
  const prompt = readText(flags.promptFile)
  return {
    receiptsContract: addressOf('--receipts-contract', flags.receiptsContract),
    ...(chainId !== undefined && { chainId }),
    ...(validatorsHash !== undefined && {
      validatorsHash: readOption('--validators-hash', hashText, validatorsHash),
    }),
    ...(trustedHash !== undefined && {
      headerHash: readOption('--trusted-hash', hashText, trustedHash),
    }),
    ...(stateRoot !== undefined && { stateRoot: readOption('--state-root', hashText, stateRoot) }),
    ...(flags.dispatcherAddress !== undefined && {
      dispatcher: addressOf('--dispatcher-address', flags.dispatcherAddress),
    }),
    ...(flags.operator !== undefined && {
      operators: flags.operator.map((each) => addressOf('--operator', each)),
    }),
    ...(prompt !== undefined && { prompt }),
    ...(executions !== undefined && { executions }),
    evidence: {
      software: software === 'accept' ? ('any' as const) : ('refuse' as const),
      ...(flags.hardwareEvidence !== undefined && {
        hardware: readEvidencePolicy(flags.hardwareEvidence),
      }),
    },
  }
}

/** Re-executes the answers of a bundle, once per seed; undefined without `--model`. */
async function executionsOf(
  json: unknown,
  { model, promptFile }: Flags,
): Promise<ReadonlyMap<string, Execution> | undefined> {
  if (model === undefined) return undefined
  const prompt = readText(promptFile)
  if (prompt === undefined) throw new UserError('--model requires --prompt-file')
  const { bundle } = await import('../../proof/bundle/format.ts')
  const { replayAnswer } = await import('../../jobs/replay.ts')
  const executions = new Map<string, Execution>()
  const { signal } = new AbortController()
  for (const answer of bundle.safeParse(json).data?.answers ?? []) {
    const { seed, jobType } = answer.statement
    if (jobType === 'opml' && !executions.has(seed))
      executions.set(seed, await replayAnswer(answer, { prompt, modelFile: model }, signal))
  }
  return executions
}

async function verify(source: string, flags: Flags): Promise<void> {
  const json = await readBundle(source, flags)
  const trust = await trustOf(flags, await executionsOf(json, flags))
  const { verifyBundle } = await import('../../proof/bundle/verify.ts')
  const { nodeContext } = await import('../../jobs/bundleContext.ts')
  const report = await verifyBundle(json, trust, nodeContext)
  print(report, flags.json === true)
  if (!report.holds) process.exitCode = 1
}

/** The command. */
export function verifyJobCommand(): Command {
  return addClientOptions(new Command('verify'))
    .description('Verify a receipt bundle offline: what passes, what fails, what was not checked.')
    .argument(
      '<bundle>',
      'bundle file, - for standard input, or a job id to fetch the bundle first',
    )
    .option('--chain-id <id>', 'the chain you trust, for example "assay_271828-1"')
    .option('--validators-hash <hash>', 'hash of the validator set of that chain')
    .option('--trusted-hash <hash>', 'or hash of the header that the bundle must lead to')
    .option('--state-root <hash>', 'or, for other EVM chains, the state root of the block')
    .addOption(
      new Option(
        '--receipts-contract <address>',
        'JobReceipts contract that stores the anchors',
      ).default(RECEIPTS_ADDRESS, 'the one in the Assay genesis'),
    )
    .option('--dispatcher-address <address>', 'the dispatcher you trust')
    .option('--operator <address...>', 'operators you trust')
    .option('--hardware-evidence <file>', 'JSON file of the hardware and measurements you trust')
    .option(
      '--software-evidence <choice>',
      'evidence from software without a TEE: accept or refuse',
      'accept',
    )
    .option('--prompt-file <file>', 'file of the prompt, to compare with its hash')
    .option('--model <file>', 'model file, to re-execute opml answers')
    .option('--json', 'print one JSON object')
    .action(verify)
}
