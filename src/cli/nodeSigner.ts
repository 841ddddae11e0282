/** `assay node signer`: holds the key of a validator, and signs for a node elsewhere (D98). */
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { takeLock } from '../base/lock.ts'
import { homePaths } from '../config/home.ts'
import { socketAddress } from '../config/types.ts'
import { LOG_LEVELS } from '../base/log.ts'
import { loadValidatorKey } from '../consensus/files/keys.ts'
import { loadSignState, writeSignState } from '../consensus/files/signState.ts'
import { createSigner } from '../consensus/privval/signer.ts'
import { runSignerDialer } from '../consensus/privval/signerDialer.ts'
import { addHomeOption, readOption } from './options.ts'
import { runService } from './service.ts'

type Options = { readonly connect: string; readonly chainId: string; readonly logLevel: string }

/** The command. */
export function nodeSignerCommand(): Command {
  return addHomeOption(new Command('signer'))
    .description(
      "Hold a validator's key and sign for the node that it connects to. The home needs only its key (in config) and its sign state (in data), moved there from the node.",
    )
    .requiredOption(
      '--connect <address>',
      "the node's priv-validator-laddr (tcp://host:port or unix:///path)",
    )
    .requiredOption('--chain-id <id>', 'chain to sign for, as in genesis.json')
    .option('--log-level <level>', LOG_LEVELS.join(', '), 'info')
    .action(async (options: Options, command: Command) => {
      const { home: folder } = command.optsWithGlobals<{ home: string }>()
      const home = homePaths(path.resolve(folder))
      const address = readOption('--connect', socketAddress, options.connect)
      const key = loadValidatorKey(home.validatorKey)
      // The lock of a node: a home signs either here or there.
      const lock = takeLock(home.nodeLock, home.folder)
      try {
        const signer = (onRefused: (reason: string) => void) =>
          createSigner({
            key,
            chainId: options.chainId,
            state: loadSignState(home.validatorState),
            keep: (state) => writeSignState(home.validatorState, state),
            onRefused,
          })
        await runService('signer', options.logLevel, async ({ signal, log, ready, fatal }) => {
          const running = runSignerDialer({
            address,
            signer: signer((reason) => log.error({ reason }, 'a request was refused')),
            log,
            signal,
            onConnected: () => ready({ address: options.connect }),
          })
          running.catch((error: unknown) =>
            fatal(
              new UserError(
                `the sign state could not be written: ${String(error)}`,
                'Nothing was signed. Free up space or mend the disk, then start again.',
              ),
            ),
          )
          return async () => {
            await running
            lock.release()
          }
        })
      } catch (error) {
        lock.release()
        throw error
      }
    })
}
