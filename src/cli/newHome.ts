/** Makes what a home lacks. Every step leaves a whole file or none, so a first start that was killed is simply continued. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { createDevelopmentAccounts } from '../accounts/development.ts'
import { writeFileAtomic } from '../base/files.ts'
import { fromHex, toHexDigits } from '../base/hex.ts'
import { addressOfPrivateKey } from '../base/secp256k1.ts'
import { defaultAppState } from '../chain/defaultGenesis.ts'
import type { Home } from '../config/home.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { nodeKeys } from '../config/node.ts'
import { configTemplate } from '../config/toml.ts'
import { APP_VERSION } from '../consensus/evm/application.ts'
import { createConsensusFiles } from '../consensus/files/create.ts'

/** Chain id of a new home (D2). */
const CHAIN_ID = 'assay_271828-1'

const DEVELOPMENT_BALANCE = 10_000n * 10n ** 18n

/** What `assay up` must remember to tell again at every start; a file of mode 0600. */
export type UpSecrets = {
  readonly passphrase: string
  readonly project: string
  readonly token: string
}

/** The address of the key in the home that receives the validator's rewards until another is set (D48). */
function rewardAddressOf(home: Home): Uint8Array {
  return addressOfPrivateKey(fromHex(fs.readFileSync(home.rewardKey, 'utf8').trim()))
}

/** Completes a home: folders, keys, genesis, configuration, development accounts. */
export async function completeHome(home: Home): Promise<UpSecrets> {
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
  if (!fs.existsSync(home.rewardKey))
    writeFileAtomic(home.rewardKey, `${toHexDigits(randomBytes(32))}\n`)
  createConsensusFiles(home, {
    chainId: CHAIN_ID,
    moniker: 'assay',
    genesisTimeNs: BigInt(Date.now()) * 1_000_000n,
    appVersion: APP_VERSION,
    appState: (consensusAddress) =>
      defaultAppState({
        accounts: accounts.map((address) => ({ address, balance: DEVELOPMENT_BALANCE })),
        validators: [{ consensusAddress, rewardAddress: rewardAddressOf(home) }],
      }),
  })
  if (!fs.existsSync(home.configFile))
    writeFileAtomic(home.configFile, configTemplate([nodeKeys, dispatcherKeys]), 0o644)
  return secrets
}

function completeSecrets(home: Home): UpSecrets {
  if (!fs.existsSync(home.secrets)) {
    const secrets: UpSecrets = {
      passphrase: randomBytes(16).toString('hex'),
      project: process.env['ASSAY_PROJECT'] ?? `project-${randomBytes(4).toString('hex')}`,
      token: process.env['ASSAY_PROJECT_TOKEN'] ?? `assay_${randomBytes(32).toString('hex')}`,
    }
    writeFileAtomic(home.secrets, `${JSON.stringify(secrets, undefined, 2)}\n`)
  }
  return JSON.parse(fs.readFileSync(home.secrets, 'utf8')) as UpSecrets
}
