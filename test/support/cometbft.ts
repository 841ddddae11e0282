/**
 * A real CometBFT node with its kvstore application, where the binary is installed: the reference for the embedded
 * engine.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { freePort } from '../../src/base/freePorts.ts'
import { loadNodeId, loadValidatorKey } from '../../src/consensus/files/keys.ts'
import { eventually } from './assay.ts'
import type { KvstoreNodeOptions } from './kvstoreNode.ts'

/** The version that the embedded engine is compatible with (D22). */
const VERSION = '0.38.25'
const FIRST_BLOCK_SECONDS = 60
/** `cometbft` of the PATH, or the one that ASSAY_COMETBFT names. */
export const COMETBFT = process.env['ASSAY_COMETBFT'] ?? 'cometbft'

/** Newer lines that are supported too: where these variables name them, or these programs of the PATH (D68). */
const NEWER = {
  '0.39': process.env['ASSAY_COMETBFT_39'] ?? 'cometbft-0.39',
  '0.40': process.env['ASSAY_COMETBFT_40'] ?? 'cometbft-0.40',
} as const

function runs(binary: string): boolean {
  try {
    execFileSync(binary, ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Each of them, with its binary, and whether that is installed. */
export const newerCometbfts = () =>
  Object.entries(NEWER).map(([line, binary]) => ({ line, binary, isPresent: runs(binary) }))

/** Whether the right binary is there. */
export function hasCometbft(): boolean {
  try {
    return execFileSync(COMETBFT, ['version'], { stdio: 'pipe' }).toString().trim() === VERSION
  } catch {
    return false
  }
}

export type CometbftNode = {
  readonly url: string
  /** What an embedded engine needs to be the same node. */
  readonly twin: NonNullable<KvstoreNodeOptions['twin']>
  stop(): Promise<void>
}

/** Starts a node with one validator, which makes blocks only when there are transactions. Resolves after its first block. */
export async function startCometbft(...flags: readonly string[]): Promise<CometbftNode> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-cometbft-'))
  const at = (name: string): string => path.join(home, 'config', name)
  execFileSync(COMETBFT, ['init', '--home', home], { stdio: 'pipe' })
  // The engine keeps the application's version among the parameters; here genesis has to say it.
  const genesis = fs.readFileSync(at('genesis.json'), 'utf8')
  fs.writeFileSync(at('genesis.json'), genesis.replace('"app": "0"', '"app": "1"'))
  const port = await freePort()
  const child = spawn(
    COMETBFT,
    [
      'start',
      `--home=${home}`,
      '--proxy_app=kvstore',
      '--moniker=twin',
      '--log_level=error',
      `--rpc.laddr=tcp://127.0.0.1:${port}`,
      '--p2p.laddr=tcp://127.0.0.1:0',
      '--consensus.create_empty_blocks=false',
      ...flags,
    ],
    { stdio: 'ignore', env: { ...process.env, CMT_CONSENSUS_TIMEOUT_COMMIT: '20ms' } },
  )
  const url = `http://127.0.0.1:${port}`
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`cometbft ended: ${child.exitCode}`)
    const answer = await fetch(`${url}/block?height=1`).catch(() => undefined)
    return answer?.ok === true ? true : undefined
  }, FIRST_BLOCK_SECONDS)
  return {
    url,
    twin: {
      genesisText: fs.readFileSync(at('genesis.json'), 'utf8'),
      key: loadValidatorKey(at('priv_validator_key.json')),
      nodeId: loadNodeId(at('node_key.json')),
      moniker: 'twin',
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}
