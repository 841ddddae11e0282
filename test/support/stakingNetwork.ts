/** A network of one CometBFT validator that others can join, whose names are hostile and whose patience is short. */
import fs from 'node:fs'
import path from 'node:path'
import { createNetwork } from '../../src/cli/localnet/create.ts'
import { localnetPaths } from '../../src/cli/localnet/plan.ts'
import { newHome, runAssay, type UpFile } from './assay.ts'
import { COMETBFT } from './cometbft.ts'

/** What strangers call their nodes. CometBFT accepts only ASCII names; those in genesis may be anything. */
const HOSTILE_MONIKER = '<img src=x onerror=alert(1)>'
const HOSTILE_NAME = `${HOSTILE_MONIKER} \u202eevil\u0007`

export type StakingNetwork = Pick<UpFile, 'rpc'> & {
  readonly explorer: string
  readonly comet: string
  stop(): Promise<void>
}

/** Unbonding time, and time until a validator can be unjailed, in seconds. */
const UNBONDING_SECONDS = 2
const JAIL_SECONDS = 1

async function localnet(home: string, ...args: readonly string[]): Promise<string> {
  const { code, output } = await runAssay(['localnet', ...args, '--home', home])
  if (code !== 0) throw new Error(output)
  return output
}

function rewrite(file: string, change: (text: string) => string): void {
  fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')))
}

function impatient(text: string): string {
  const genesis = JSON.parse(text)
  genesis.validators[0].name = HOSTILE_NAME
  genesis.consensus_params.evidence.max_age_duration = String(UNBONDING_SECONDS * 1e9)
  Object.assign(genesis.app_state.evm.staking, {
    unbonding_time: UNBONDING_SECONDS,
    jail_time: JAIL_SECONDS,
    signed_window: 80,
    max_missed: 40,
    absence_slash: 100,
  })
  return JSON.stringify(genesis)
}

/** Starts it. Needs CometBFT. */
export async function startStakingNetwork(): Promise<StakingNetwork> {
  const home = newHome()
  const paths = localnetPaths(home)
  fs.mkdirSync(home, { recursive: true, mode: 0o700 })
  const plan = await createNetwork(paths, {
    validators: 1,
    full: 0,
    firstPort: 0,
    blockInterval: '200ms',
    snapshotInterval: 0,
  })
  const node = paths.home('node0')
  rewrite(node.genesis, impatient)
  rewrite(node.configFile, (text) => text.replace('"node0"', JSON.stringify(HOSTILE_MONIKER)))
  const [{ ports } = { ports: undefined }] = plan.nodes
  const stop = async () => {
    await localnet(home, 'stop')
    fs.rmSync(path.dirname(home), { recursive: true, force: true })
  }
  try {
    await localnet(home, 'start', '--detach', `--cometbft=${COMETBFT}`)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    rpc: `http://127.0.0.1:${ports?.rpc}`,
    comet: `http://127.0.0.1:${ports?.comet}`,
    explorer: `http://127.0.0.1:${ports?.explorer}`,
    stop,
  }
}
