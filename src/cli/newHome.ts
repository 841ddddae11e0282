/**
 * Creates whatever a home lacks. Every step leaves a complete file or none, so a first start that was killed simply
 * continues.
 */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { z } from 'zod'
import { createDevelopmentAccounts } from '../accounts/development.ts'
import { writeFileAtomic } from '../base/files.ts'
import { loadOrCreatePrivateKey } from '../base/privateKey.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { defaultAppState, type NewChain } from '../chain/defaultGenesis.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import type { Home } from '../config/home.ts'
import { nodeKeys } from '../config/node.ts'
import { configTemplate } from '../config/toml.ts'
import { APP_VERSION } from '../consensus/evm/application.ts'
import { createConsensusFiles } from '../consensus/files/create.ts'
import { parseJsonFile } from '../consensus/files/jsonFile.ts'
import { checkProject } from '../jobs/dispatcher/access/projects.ts'

/** Chain id of a new home (D2). */
export const CHAIN_ID = 'assay_271828-1'

/** Of each development account. */
export const DEVELOPMENT_BALANCE = 10_000n * 10n ** 18n
/** Pays for the transactions by which a validator moves its rewards, before it has any. */
export const REWARD_KEY_BALANCE = 10n ** 18n

type Settings = NonNullable<Parameters<typeof configTemplate>[1]>

const upSecrets = z.object({ passphrase: z.string(), project: z.string(), token: z.string() })

/** What `assay up` must remember to print at every start; a file of mode 0600. */
export type UpSecrets = Readonly<z.infer<typeof upSecrets>>

/** Pays for the transactions that anchor receipts: enough for about a million. */
export const ANCHOR_KEY_BALANCE = 1_000n * 10n ** 18n

/** The address of the key in the home with which the dispatcher anchors receipts. */
export function anchorAddressOf(home: Home): Uint8Array {
  const advice = 'Restore the key, or remove the file to get a new key, which then needs funds.'
  return addressOfPrivateKey(loadOrCreatePrivateKey(home.anchorKey, advice))
}

/** The address of the key in the home that receives the validator's rewards until another is set (D48). */
export function rewardAddressOf(home: Home): Uint8Array {
  const advice = 'Restore the key: the rewards of this validator go to its address.'
  return addressOfPrivateKey(loadOrCreatePrivateKey(home.rewardKey, advice))
}

/**
 * Completes a home: folders, keys, genesis, configuration, development accounts. `settings` are written to a new
 * configuration file. A new chain may be a development chain (D56), and begin with an older fork.
 */
export async function completeHome(
  home: Home,
  settings: Settings = {},
  chain: Pick<NewChain, 'isDevelopment' | 'hardfork'> = {},
): Promise<UpSecrets> {
  for (const folder of [
    home.folder,
    home.config,
    home.data,
    home.models,
    home.operators,
    home.worker,
  ])
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })

  const secrets = completeSecrets(home)
  const accounts = await createDevelopmentAccounts(home.keystore, secrets.passphrase)
  const rewardAddress = rewardAddressOf(home)
  const anchorAddress = anchorAddressOf(home)
  createConsensusFiles(home, {
    chainId: CHAIN_ID,
    moniker: 'assay',
    genesisTimeNs: BigInt(Date.now()) * 1_000_000n,
    appVersion: APP_VERSION,
    appState: (publicKey) =>
      defaultAppState({
        accounts: [
          ...accounts.map((address) => ({ address, balance: DEVELOPMENT_BALANCE })),
          { address: rewardAddress, balance: REWARD_KEY_BALANCE },
          { address: anchorAddress, balance: ANCHOR_KEY_BALANCE },
        ],
        validators: [{ publicKey, rewardAddress }],
        ...chain,
      }),
  })
  if (!fs.existsSync(home.configFile))
    writeFileAtomic(home.configFile, configTemplate([nodeKeys, dispatcherKeys], settings), 0o644)
  return secrets
}

/** What the home remembers from its first start. ASSAY_PROJECT and ASSAY_PROJECT_TOKEN take precedence if set (D50). */
function completeSecrets(home: Home): UpSecrets {
  const known = fs.existsSync(home.secrets)
    ? parseJsonFile(home.secrets, fs.readFileSync(home.secrets, 'utf8'), upSecrets)
    : undefined
  const { ASSAY_PROJECT: presetProject, ASSAY_PROJECT_TOKEN: presetToken } = process.env
  const project = presetProject ?? known?.project ?? `project-${randomBytes(4).toString('hex')}`
  const knownToken = project === known?.project ? known.token : undefined
  const secrets: UpSecrets = {
    passphrase: known?.passphrase ?? randomBytes(16).toString('hex'),
    project,
    token: presetToken ?? knownToken ?? `assay_${randomBytes(32).toString('hex')}`,
  }
  checkProject(secrets.project, secrets.token)
  if (known === undefined)
    writeFileAtomic(home.secrets, `${JSON.stringify(secrets, undefined, 2)}\n`)
  return secrets
}
