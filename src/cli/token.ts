/** `assay token create`: a token for the private JSON-RPC methods (D13). */
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { homePaths, requireHome } from '../config/home.ts'
import { duration } from '../config/types.ts'
import { createToken } from '../wire/token.ts'
import { loadTokenSecret } from '../wire/tokenSecret.ts'
import { addHomeOption, readOption } from './options.ts'

const LONGEST_MS = 10 * 365 * 24 * 3_600_000
const lifetime = duration(1000, LONGEST_MS)

/** The command. */
export function tokenCommand(): Command {
  const create = addHomeOption(new Command('create'))
    .description('Create a token for Authorization: Bearer and print it.')
    .requiredOption('--name <name>', 'name of the user; unlocked accounts belong to this name')
    .option(
      '--scope <scopes>',
      'comma-separated methods that it allows ("personal:*", "miner:setEtherbase")',
      '*',
    )
    .option('--ttl <duration>', 'lifetime, for example "720h"', '720h')
    .action((options: { home: string; name: string; scope: string; ttl: string }) => {
      const scope = options.scope.split(',').map((part) => part.trim())
      if (scope.some((part) => !/^(?:\*|[a-z]+:(?:\*|[A-Za-z0-9]+))$/.test(part)))
        throw new UserError(
          `--scope: "${options.scope}" is not a list of scopes`,
          'Use "personal:*", "miner:setEtherbase" or "*".',
        )
      const home = homePaths(options.home)
      requireHome(home)
      const secret = loadTokenSecret(home.jwtSecret)
      const token = createToken(secret, {
        scope,
        ttl: Math.floor(readOption('--ttl', lifetime, options.ttl) / 1000),
        name: options.name,
        now: Math.floor(Date.now() / 1000),
      })
      process.stdout.write(`${token}\n`)
    })
  return new Command('token')
    .description('Manage tokens for private JSON-RPC methods.')
    .addCommand(create)
}
