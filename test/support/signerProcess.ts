/** A remote signer as a process of its own: ours, or CometBFT's in Go where it is installed. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { homePaths, type Home } from '../../src/config/home.ts'
import { mainFile } from './assay.ts'

/** `priv_val_server` of CometBFT, on the PATH or where ASSAY_PRIV_VAL_SERVER names it. */
const GO_SIGNER = process.env['ASSAY_PRIV_VAL_SERVER'] ?? 'priv_val_server'

/** Whether it is there. */
export function hasGoSigner(): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${GO_SIGNER}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

export type SignerProcess = {
  readonly process: ChildProcess
  /** Everything it printed so far. */
  output(): string
  kill(signal?: NodeJS.Signals): Promise<void>
}

export type SignerHome = Pick<Home, 'folder' | 'validatorKey' | 'validatorState'>

/** Moves the key of a home, and what it signed last, to a signer's home beside it. */
export function moveKey(home: Home, name = 'signer'): SignerHome {
  const signer = homePaths(path.join(path.dirname(home.folder), name))
  for (const file of [signer.validatorKey, signer.validatorState])
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  fs.renameSync(home.validatorKey, signer.validatorKey)
  fs.copyFileSync(home.validatorState, signer.validatorState)
  return signer
}

function run(command: string, args: readonly string[]): SignerProcess {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return {
    process: child,
    output: () => output,
    async kill(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
}

/** Starts `assay node signer`. */
export function startSigner(home: SignerHome, address: string, chainId: string): SignerProcess {
  const where = ['--home', home.folder, '--connect', address, '--chain-id', chainId]
  return run(process.execPath, [mainFile, 'node', 'signer', ...where])
}

/** Starts CometBFT's own signer. It ends when it cannot connect for a second. */
export function startGoSigner(home: SignerHome, address: string, chainId: string): SignerProcess {
  return run(GO_SIGNER, [
    `-addr=${address}`,
    `-chain-id=${chainId}`,
    `-priv-key=${home.validatorKey}`,
    `-priv-state=${home.validatorState}`,
  ])
}
