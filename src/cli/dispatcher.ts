/** `assay dispatcher`: the dispatcher alone. */
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { isLoopback } from '../base/hosts.ts'
import { openTracer } from '../base/tracing/settings.ts'
import { dispatcherKeys, type DispatcherConfig } from '../config/dispatcher.ts'
import { homePaths, type Home } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import type { HardwareTrust } from '../proof/attestation/hardware.ts'
import type { DispatcherOptions } from '../jobs/dispatcher/dispatcher.ts'
import { dispatcherBackupCommand } from './dispatcher/backup.ts'
import { dispatcherModelCommand } from './dispatcher/model.ts'
import { dispatcherRestoreCommand } from './dispatcher/restore.ts'
import { addHomeOption, addKeyOptions, flagsOf, logLevelOf, tracingOf } from './options.ts'
import { runService } from './service.ts'

/** The dispatcher's settings as its options. Throws UserError when no database is configured. */
function dispatcherOptions(
  home: Home,
  config: DispatcherConfig,
  hardware: HardwareTrust | undefined,
): DispatcherOptions {
  if (config['dispatcher.pg_db_url'] === '')
    throw new UserError(
      'no database is configured for the dispatcher',
      'Set dispatcher.pg_db_url (postgres://…), or use assay up, which includes one.',
    )
  return {
    databaseUrl: config['dispatcher.pg_db_url'],
    keyFile: home.dispatcherKey,
    promptKeyFile: home.promptKey,
    chainId: BigInt(config['dispatcher.chain-id']),
    chain: chainOptions(home, config),
    httpAddress: config['dispatcher.address'],
    operatorAddress: config['dispatcher.operator-address'],
    hosts: config['dispatcher.hosts'],
    corsOrigins: config['dispatcher.cors-origins'],
    openReads: config['dispatcher.open-reads'] && isLoopback(config['dispatcher.address'].host),
    unknownModel: config['dispatcher.unknown-model'],
    jobDeadlineMs: config['dispatcher.job-deadline'],
    retentionMs: config['dispatcher.retention'],
    archiveUrl: config['dispatcher.archive'],
    leaseMs: config['dispatcher.lease'],
    maxAttempts: config['dispatcher.max-attempts'],
    committee: config['dispatcher.committee'],
    limits: {
      jobsPerMinute: config['dispatcher.project-jobs-per-minute'],
      tokenJobsPerMinute: config['dispatcher.token-jobs-per-minute'],
      jobsPerDay: config['dispatcher.project-jobs-per-day'],
      tokensPerMinute: config['dispatcher.project-tokens-per-minute'],
    },
    webhookHosts: config['dispatcher.webhook-hosts'],
    evidence: {
      software: config['dispatcher.software-evidence'] === 'accept' ? 'any' : 'refuse',
      ...(hardware === undefined ? {} : { hardware }),
    },
  }
}

function chainOptions(home: Home, config: DispatcherConfig): DispatcherOptions['chain'] {
  const rpcUrl = config['dispatcher.chain-rpc-url']
  if (rpcUrl === '') return undefined
  return {
    rpcUrl,
    consensusRpcUrl: config['dispatcher.consensus-rpc-url'] || undefined,
    anchorKeyFile: home.anchorKey,
    anchorIntervalMs: config['dispatcher.anchor-interval'],
    receiptsContract: config['dispatcher.receipts-contract'],
    registryContract: config['dispatcher.registry-contract'],
    operators: config['dispatcher.operators'],
    modelRegistry: modelRegistryOf(config),
  }
}

function modelRegistryOf(config: DispatcherConfig) {
  const contract = config['dispatcher.model-registry']
  const registrar = config['dispatcher.model-registrar']
  if (contract === undefined && registrar === undefined) return undefined
  if (contract === undefined || registrar === undefined)
    throw new UserError(
      'dispatcher.model-registry and dispatcher.model-registrar belong together',
      'Set both, or none.',
    )
  return { contract, registrar }
}

async function hardwareTrust(config: DispatcherConfig): Promise<HardwareTrust | undefined> {
  const file = config['dispatcher.hardware-evidence']
  if (file === '') return undefined
  const { readEvidencePolicy } = await import('../jobs/evidencePolicy.ts')
  return readEvidencePolicy(file)
}

/** Configuration of the dispatcher command, or of a command that works on its database. */
export function loadDispatcherConfig(command: Command, home: Home): DispatcherConfig {
  return loadConfig(dispatcherKeys, {
    file: home.configFile,
    environment: process.env,
    flags: flagsOf(command, dispatcherKeys),
    otherTables: [nodeKeys],
  })
}

/** The command. */
export function dispatcherCommand(): Command {
  const command = new Command('dispatcher').description(
    'Run the dispatcher, which accepts jobs over HTTP and hands them out to operators.',
  )
  addKeyOptions(addHomeOption(command), dispatcherKeys)
  for (const child of [
    dispatcherBackupCommand(),
    dispatcherRestoreCommand(),
    dispatcherModelCommand(),
  ])
    command.addCommand(child)
  return command.action(async () => {
    const home = homePaths(command.opts<{ home: string }>().home)
    const config = loadDispatcherConfig(command, home)
    const options = dispatcherOptions(home, config, await hardwareTrust(config))
    const { runDispatcher } = await import('../jobs/dispatcher/dispatcher.ts')
    const { createProject } = await import('../jobs/dispatcher/access/projects.ts')
    await runService('dispatcher', logLevelOf(home), async ({ signal, log, ready }) => {
      const tracer = openTracer('dispatcher', tracingOf(home), process.env, log)
      const dispatcher = await runDispatcher(options, { log, signal, tracer })
      const { ASSAY_PROJECT: id, ASSAY_PROJECT_TOKEN: token } = process.env
      if (id !== undefined && token !== undefined)
        await createProject(dispatcher.sql, { name: id, id, token })
      const { httpAddress, operatorAddress, dispatcherAddress } = dispatcher
      ready({ httpAddress, operatorAddress, dispatcherAddress })
      return async () => {
        await dispatcher.close()
        await tracer?.close()
      }
    })
  })
}
