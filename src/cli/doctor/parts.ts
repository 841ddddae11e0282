/** The external parts: PostgreSQL, CometBFT, llama.cpp, and the devices that attest. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { hasNitro } from '../../attest/nitro.ts'
import { hasTsm, tsmProvider } from '../../attest/tsm.ts'
import { messageOf } from '../../base/errors.ts'
import {
  hasLlamaRuntime,
  LLAMA_INSTALL_COMMAND,
  llamaRuntimeFolder,
} from '../../inference/llamaRuntime.ts'
import { withClient } from '../../store/sql/database.ts'
import { findInstallation, linkLibraries } from '../../store/sql/installation.ts'
import { fine, finding, type Finding } from './check.ts'

const TIMEOUT_MS = 5_000

/** The configured database server, or the one that is included in the package. */
export async function checkPostgres(url: string): Promise<Finding> {
  const what = 'PostgreSQL'
  try {
    if (url !== '') {
      await withClient(url, async (client) => void (await client.query('select 1')), TIMEOUT_MS)
      return fine(what, 'the database at dispatcher.pg_db_url responds')
    }
    const installation = findInstallation()
    await linkLibraries(installation)
    const binary = path.join(installation, 'bin', 'postgres')
    const { status, stdout, stderr } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr.trim())
    return fine(what, `${stdout.trim()}, embedded`)
  } catch (error) {
    return finding(
      what,
      'wrong',
      messageOf(error),
      url === ''
        ? 'Reinstall with optional dependencies, or set dispatcher.pg_db_url to a server.'
        : 'Check dispatcher.pg_db_url and that the server is running.',
    )
  }
}

const COMET_VERSION = /^v?0\.38\./

/** The binary of CometBFT, which networks of several validators need. */
export function checkCometbft(binary: string, isNeeded: boolean): Finding {
  const what = 'CometBFT'
  const { status, stdout, error } = spawnSync(binary, ['version'], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  })
  const version = stdout?.trim() ?? ''
  const advice = 'go install github.com/cometbft/cometbft/cmd/cometbft@v0.38.25'
  if (error !== undefined || status !== 0)
    return finding(
      what,
      isNeeded ? 'wrong' : 'note',
      `${binary} not found; the embedded engine does not need it`,
      `For networks of several validators: ${advice}`,
    )
  return COMET_VERSION.test(version)
    ? fine(what, version)
    : finding(
        what,
        isNeeded ? 'wrong' : 'warning',
        `${version} is not version 0.38`,
        `Run: ${advice}`,
      )
}

/** The worker's inference runtime. */
export function checkLlama(): Finding {
  return hasLlamaRuntime()
    ? fine('llama.cpp', llamaRuntimeFolder())
    : finding(
        'llama.cpp',
        'warning',
        'not installed: no tee operator can run',
        `Run: ${LLAMA_INSTALL_COMMAND} (85 MB)`,
      )
}

/** What can attest to answers. */
export function checkTee(): Finding {
  const what = 'TEE'
  if (hasNitro()) return fine(what, 'AWS Nitro (/dev/nsm)')
  const guests = ['/dev/tdx_guest', '/dev/sev-guest'].filter((file) => fs.existsSync(file))
  if (hasTsm())
    try {
      return fine(what, `${tsmProvider()} through configfs-tsm`)
    } catch (error) {
      return finding(
        what,
        'warning',
        messageOf(error),
        'Give the worker access to /sys/kernel/config/tsm.',
      )
    }
  return guests.length > 0
    ? finding(
        what,
        'warning',
        `${guests.join(', ')} without configfs-tsm`,
        'Use Linux 6.7 or newer, and mount configfs at /sys/kernel/config.',
      )
    : finding(what, 'note', 'none on this machine: its worker can only give software evidence')
}
