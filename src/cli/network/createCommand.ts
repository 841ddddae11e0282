/** `assay network create`: the home folders of a network, to be taken to where their programs run (D113). */
import { Command } from 'commander'
import { address } from '../../config/hexTypes.ts'
import { duration, integer } from '../../config/types.ts'
import { silent, urlOf } from '../../config/url.ts'
import { readOption } from '../options.ts'

const databaseServer = silent(
  'the URL of a PostgreSQL server, "postgres://user@host:port"',
  (raw) => {
    const url = urlOf(raw, ['postgres:', 'postgresql:'])
    return url !== undefined && /^\/?$/.test(url.pathname) ? raw : undefined
  },
)

type Options = {
  readonly validators: string
  readonly full: string
  readonly blockInterval: string
  readonly snapshotInterval: string
  readonly hosts: string
  readonly at: string
  readonly fund?: readonly string[]
  readonly database?: string
  readonly rpcHost?: string
}

/** The command. */
export function networkCreateCommand(): Command {
  return new Command('create')
    .description(
      'Create the home folders of a network: validator0, validator1, …, full0, …, dispatcher, opml, tee and worker.',
    )
    .argument('<folder>', 'new folder for the homes')
    .option('--validators <number>', 'number of validators', '4')
    .option('--full <number>', 'number of full nodes', '1')
    .option('--block-interval <duration>', 'time between blocks', '1s')
    .option(
      '--snapshot-interval <heights>',
      'number of blocks between snapshots, 0 for none',
      '1000',
    )
    .option('--hosts <pattern>', 'host of each program: % is the name of its home', '%')
    .option('--at <folder>', 'where each home will be on its host', '/var/lib/assay')
    .option('--fund <address...>', 'accounts that own 10,000 units each at genesis')
    .option(
      '--rpc-host <host>',
      'host of the RPCs that dispatcher and operators ask, such as a load balancer: by default full0',
    )
    .option(
      '--database <url>',
      'PostgreSQL server of dispatcher and operators, postgres://user@host:port; none: no jobs',
    )
    .action(async (folder: string, options: Options) => {
      // Loaded lazily: these parts are needed only here.
      const { createHomes } = await import('./create.ts')
      readOption('--block-interval', duration(100, 30_000), options.blockInterval)
      const names = createHomes(folder, {
        validators: readOption('--validators', integer(1, 100), options.validators),
        full: readOption('--full', integer(0, 100), options.full),
        blockInterval: options.blockInterval,
        snapshotInterval: readOption(
          '--snapshot-interval',
          integer(0, 1_000_000_000),
          options.snapshotInterval,
        ),
        hosts: options.hosts,
        at: options.at,
        rpcHost: options.rpcHost,
        fund: (options.fund ?? []).map((each) => readOption('--fund', address, each)),
        database:
          options.database === undefined
            ? undefined
            : readOption('--database', databaseServer, options.database),
      })
      process.stdout.write(`${names.join('\n')}\n`)
    })
}
