/** `assay doctor`: whether this machine and this home have what Assay needs, and what to do if not. */
import path from 'node:path'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { VERSION } from '../base/version.ts'
import { homePaths } from '../config/home.ts'
import { fine, type Finding, type Verdict } from './doctor/check.ts'
import { addHomeOption } from './options.ts'

const SIGNS: Readonly<Record<Verdict, string>> = {
  ok: 'ok',
  note: '--',
  warning: '!',
  wrong: 'WRONG',
}

const COLORS: Readonly<Record<Verdict, Parameters<typeof styleText>[0]>> = {
  ok: 'green',
  note: 'gray',
  warning: 'yellow',
  wrong: 'red',
}

function format({ what, verdict, found, advice }: Finding, colors: boolean): string {
  const sign = SIGNS[verdict].padEnd(6)
  const head = colors ? styleText(COLORS[verdict], sign) : sign
  const line = `${head}${what.padEnd(12)}${found}\n`
  return advice === '' ? line : `${line}${' '.repeat(18)}${advice}\n`
}

async function findings(folder: string): Promise<readonly Finding[]> {
  const home = homePaths(folder)
  const machine = await import('./doctor/machine.ts')
  const { readConfig, checkHome, checkPorts } = await import('./doctor/home.ts')
  const parts = await import('./doctor/parts.ts')
  const { config, finding: settings } = readConfig(home)
  return [
    fine('Assay', VERSION),
    machine.checkNode(),
    machine.checkClock(),
    machine.checkMemory(),
    machine.checkOpenFiles(),
    machine.checkDisk(folder),
    ...checkHome(home),
    settings,
    ...(config === undefined ? [] : await checkPorts(home, config)),
    await parts.checkPostgres(config?.['dispatcher.pg_db_url'] ?? ''),
    parts.checkCometbft(
      config?.cometbft ?? 'cometbft',
      config?.['consensus.engine'] === 'cometbft',
    ),
    parts.checkLlama(),
    parts.checkTee(),
  ]
}

/** The command. It exits with 1 when something is wrong; warnings and notes leave it at 0. */
export function doctorCommand(): Command {
  return addHomeOption(new Command('doctor'))
    .description('Check ports, clock, disk, versions, PostgreSQL, CometBFT and TEE devices.')
    .option('--json', 'findings as JSON')
    .action(async ({ home, json }: { readonly home: string; readonly json?: boolean }) => {
      const found = await findings(path.resolve(home))
      if (json === true) process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`)
      else for (const each of found) process.stdout.write(format(each, process.stdout.isTTY))
      if (found.some(({ verdict }) => verdict === 'wrong')) process.exitCode = 1
    })
}
