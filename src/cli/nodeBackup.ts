/** `assay node backup`: a backup of a home's chain, while its node runs. */
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { formatAddress } from '../base/listen.ts'
import type { Home } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { jsonRpcCaller } from '../jobs/onchain/jsonRpc.ts'
import { rpcProvider } from '../proof/comet/light/rpcProvider.ts'
import type { Provider } from '../proof/comet/light/types.ts'
import { addHomeOption } from './options.ts'
import { createProgress, progressBar } from './progress.ts'
import { homeOf } from './stoppedNode.ts'

const RPC_TIMEOUT_MS = 20_000

/** Signed headers from the CometBFT of the home, or the one at `url`. */
function cometProvider(home: Home, url: string | undefined): Provider {
  const config = loadConfig(nodeKeys, {
    file: home.configFile,
    environment: process.env,
    flags: {},
    otherTables: [dispatcherKeys],
  })
  const own = config['consensus.comet-rpc'] ?? config['rpc.laddr']
  const target = new URL(url ?? `http://${formatAddress(own)}`)
  return async (height) => {
    try {
      const deadline = AbortSignal.timeout(RPC_TIMEOUT_MS)
      return await rpcProvider(jsonRpcCaller(target, 'the consensus RPC', { deadline }))(height)
    } catch (error) {
      throw new UserError(
        `the consensus RPC at ${target.origin} gave no signed header ${height}: ${String(error)}`,
        'A node of a network is backed up while it runs: its CometBFT has the headers. --comet names another address.',
      )
    }
  }
}

function readCount(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1) return count
  throw new UserError(`--keep: expected a number from 1, not ${JSON.stringify(text)}`)
}

/** Shows steps on the terminal, at most once per percent. */
export function showProgress() {
  const progress = createProgress()
  let shown = ''
  return {
    onProgress(step: string, done: number, of: number): void {
      const text = `${step} ${progressBar(of === 0 ? 1 : done / of)}`
      if (text === shown) return
      shown = text
      progress.say(text)
    },
    end: () => progress.end(),
  }
}

type Options = { keep?: string; verify?: boolean; comet?: string }

/** The command. */
export function nodeBackupCommand(): Command {
  return addHomeOption(new Command('backup'))
    .description(
      'Back up the chain of a home, while its node runs. Keys are never part of it; a later backup into the same folder writes only what is new.',
    )
    .argument('<folder>', 'folder of the backups of this home, created if it does not exist')
    .option('--keep <count>', 'remove all but so many backups')
    .option('--verify', 'read what earlier backups wrote, and replace what is damaged')
    .option('--comet <url>', 'consensus RPC of a node of a network (default: as configured)')
    .action(async (folder: string, options: Options, command: Command) => {
      const home = homeOf(command)
      const keep = options.keep === undefined ? undefined : readCount(options.keep)
      const { backupHome } = await import('../node/backup/backup.ts')
      const { onProgress, end } = showProgress()
      const { height, bytes, added } = await backupHome({
        home,
        folder: path.resolve(folder),
        keep,
        isVerifying: options.verify === true,
        signedHeader: cometProvider(home, options.comet),
        onProgress,
      }).finally(end)
      const size = (count: number) => `${(count / 1e6).toFixed(1)} MB`
      process.stdout.write(
        `Backup of height ${height}: ${size(bytes)}, of which ${size(added.bytes)} in ${added.chunks} chunks are new.\n`,
      )
    })
}
