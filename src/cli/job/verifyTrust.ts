/** The flags that say what the verifier of a bundle knows and trusts. */
import { Option, type Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { toHex } from '../../base/hex.ts'
import { RECEIPTS_ADDRESS, REGISTRY_ADDRESS } from '../../config/contracts.ts'
import { address } from '../../config/hexTypes.ts'
import { duration, oneOf } from '../../config/types.ts'
import type { BundleTrust, Execution, KnownRequest } from '../../proof/bundle/trust.ts'
import { readOption } from '../options.ts'
import { hashText } from '../verify/options.ts'
import { addClientOptions, jobIdOf, readText, type ClientFlags } from './client.ts'

const SECOND_MS = 1000
const YEAR_MS = 366 * 24 * 3_600_000
const NS_PER_MS = 1_000_000n

export type TrustFlags = ClientFlags & {
  readonly chainId?: string
  readonly validatorsHash?: string
  readonly trustedHash?: readonly string[]
  readonly trustingPeriod?: string
  readonly stateRoot?: string
  readonly receiptsContract: string
  readonly registryContract: string
  readonly anchorDelay?: string
  readonly job?: string
  readonly dispatcherAddress?: string
  readonly operator?: readonly string[]
  readonly hardwareEvidence?: string
  readonly softwareEvidence: string
  readonly promptFile?: string
  readonly requestFile?: string
  readonly modelHash?: string
  readonly model?: string
}

/** Adds the flags. */
export function addTrustOptions(command: Command): Command {
  const contract = (flag: string, name: string, value: string) =>
    new Option(`${flag} <address>`, name).default(value, 'the one in the Assay genesis')
  return addClientOptions(command)
    .option('--chain-id <id>', 'the chain you trust, for example "assay_271828-1"')
    .option('--validators-hash <hash>', 'hash of the validator set of that chain')
    .option('--trusting-period <duration>', 'how long those validators are trusted (default: 168h)')
    .option('--trusted-hash <hash...>', 'or hashes of the headers that the answers must lead to')
    .option('--state-root <hash>', 'or, for other EVM chains, the state root of the block')
    .addOption(
      contract('--receipts-contract', 'JobReceipts contract with the anchors', RECEIPTS_ADDRESS),
    )
    .addOption(
      contract('--registry-contract', 'OperatorRegistry contract with ranges', REGISTRY_ADDRESS),
    )
    .option('--anchor-delay <duration>', 'maximum time from record to anchor (default: 1h)')
    .option('--job <id>', 'the job that you mean')
    .option('--dispatcher-address <address>', 'the dispatcher you trust')
    .option('--operator <address...>', 'operators you trust')
    .option('--hardware-evidence <file>', 'JSON file of the hardware and measurements you trust')
    .option(
      '--software-evidence <choice>',
      'evidence from software without a TEE: accept or refuse',
      'accept',
    )
    .option(
      '--prompt-file <file>',
      'file of the prompt (- for standard input), to compare with its hash',
    )
    .option('--request-file <file>', 'the submission as JSON, to open the hash of the request')
    .option('--model-hash <hash>', 'SHA-256 of the model file that must have been used')
    .option('--model <file>', 'model file, to re-execute opml answers')
}

const addressOf = (flag: string, text: string) => toHex(readOption(flag, address, text))

function chainTrust(flags: TrustFlags): Partial<BundleTrust> {
  const { chainId, validatorsHash, trustedHash, stateRoot, trustingPeriod } = flags
  return {
    nowNs: BigInt(Date.now()) * NS_PER_MS,
    ...(chainId !== undefined && { chainId }),
    ...(validatorsHash !== undefined && {
      validatorsHash: readOption('--validators-hash', hashText, validatorsHash),
    }),
    ...(trustedHash !== undefined && {
      headerHashes: trustedHash.map((each) => readOption('--trusted-hash', hashText, each)),
    }),
    ...(trustingPeriod !== undefined && {
      trustingPeriodNs:
        BigInt(readOption('--trusting-period', duration(SECOND_MS, YEAR_MS), trustingPeriod)) *
        NS_PER_MS,
    }),
    ...(stateRoot !== undefined && { stateRoot: readOption('--state-root', hashText, stateRoot) }),
  }
}

/** What a submission asked for, from its JSON as it was sent to the job API. */
async function readRequest(file: string): Promise<KnownRequest> {
  const { knownRequest } = await import('../../jobs/knownRequest.ts')
  try {
    return knownRequest(JSON.parse(readText(file) ?? ''))
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(
      `${file} is not a submission`,
      'It is the JSON that was sent to /api/job/submit: from, user, tag, job, priority, deadline.',
    )
  }
}

/** Reads the flags. Throws UserError. */
export async function readTrust(
  flags: TrustFlags,
  executions: ReadonlyMap<string, Execution> | undefined,
): Promise<BundleTrust> {
  const { anchorDelay, dispatcherAddress, modelHash, job } = flags
  const evidence = readOption(
    '--software-evidence',
    oneOf('accept', 'refuse'),
    flags.softwareEvidence,
  )
  const { readEvidencePolicy } = await import('../../jobs/evidencePolicy.ts')
  const prompt = readText(flags.promptFile)
  return {
    ...chainTrust(flags),
    receiptsContract: addressOf('--receipts-contract', flags.receiptsContract),
    registryContract: addressOf('--registry-contract', flags.registryContract),
    ...(anchorDelay !== undefined && {
      maxAnchorDelay:
        readOption('--anchor-delay', duration(SECOND_MS, YEAR_MS), anchorDelay) / SECOND_MS,
    }),
    ...(job !== undefined && { jobId: jobIdOf(job) }),
    ...(dispatcherAddress !== undefined && {
      dispatcher: addressOf('--dispatcher-address', dispatcherAddress),
    }),
    ...(flags.operator !== undefined && {
      operators: flags.operator.map((each) => addressOf('--operator', each)),
    }),
    ...(modelHash !== undefined && {
      modelHash: toHex(readOption('--model-hash', hashText, modelHash)),
    }),
    ...(prompt !== undefined && { prompt }),
    ...(flags.requestFile !== undefined && { request: await readRequest(flags.requestFile) }),
    ...(executions !== undefined && { executions }),
    evidence: {
      software: evidence === 'accept' ? ('any' as const) : ('refuse' as const),
      ...(flags.hardwareEvidence !== undefined && {
        hardware: readEvidencePolicy(flags.hardwareEvidence),
      }),
    },
  }
}
