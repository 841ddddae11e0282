/** A status as one screen of text. */
import { styleText } from 'node:util'
import type { Status } from './collect.ts'

/** A number of bytes in the largest unit in which it is at least 1. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

function formatAge(seconds: number): string {
  if (seconds < 120) return `${Math.max(0, Math.round(seconds))} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

type Style = (as: Parameters<typeof styleText>[0], text: string) => string

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const row = (name: string, value: string): string => `  ${name.padEnd(14)}${value}`

/** Time without a block after which a chain is reported as stalled, in seconds. */
const STALE_AFTER = 60

function chainRows(chain: Status['chain'], now: number, style: Style): readonly string[] {
  if (chain === undefined) return [row('Node', style('red', 'not responding'))]
  const age = now - chain.blockTime
  const isStale = age > STALE_AFTER && !chain.isSyncing
  const standing = isStale ? style('red', ' (the chain has stalled)') : ''
  const syncing = chain.isSyncing ? style('yellow', ' (catching up)') : ''
  const gas = ((100 * chain.gasUsed) / chain.gasLimit).toFixed(0)
  return [
    row('Node', `${style('green', 'running')}  ${chain.version}, chain ${chain.chainId}`),
    row('Height', `${chain.height}, ${formatAge(age)} ago${standing}${syncing}`),
    row('Last block', `${counted(chain.transactions, 'transaction')}, ${gas}% of the gas limit`),
    row('Base fee', `${(chain.baseFee / 1e9).toFixed(3)} gwei`),
    ...(chain.isSignerConnected === undefined
      ? []
      : [
          row(
            'Signer',
            chain.isSignerConnected
              ? 'connected'
              : style('red', 'away: nothing is signed until it is back'),
          ),
        ]),
    row('Pool', chain.pool === undefined ? 'unknown' : counted(chain.pool, 'transaction')),
    row('Peers', String(chain.peers)),
  ]
}

function jobRows({ jobs, operators }: Status, style: Style): readonly string[] {
  if (jobs === undefined) return [row('Dispatcher', style('red', 'not responding'))]
  const shown = operators ?? []
  return [
    row('Dispatcher', style('green', 'running')),
    row(
      'Jobs',
      `${jobs.created} waiting, ${jobs.dispatched} at operators, ${jobs.submitted} submitted since startup`,
    ),
    row(
      'Operators',
      operators === undefined
        ? 'not public'
        : shown.length === 0
          ? style('yellow', 'none connected')
          : String(shown.length),
    ),
    ...shown.map(({ operator, workers, models, slots, busy }) =>
      row(
        '',
        `${operator}  ${workers.join(', ')}  ${busy} of ${slots} slots busy  ${models.join(', ')}`,
      ),
    ),
  ]
}

/** The screen; `now` is a Unix time in seconds. */
export function formatStatus(
  status: Status,
  options: { readonly home: string; readonly now: number; readonly colors: boolean },
): string {
  const style: Style = (as, text) => (options.colors ? styleText(as, text) : text)
  const { folders, freeBytes, totalBytes } = status.disk
  const isShort = freeBytes < 5e9
  const free = `${formatBytes(freeBytes)} free of ${formatBytes(totalBytes)}`
  return [
    style('bold', `Assay in ${options.home}`),
    ...chainRows(status.chain, options.now, style),
    '',
    ...jobRows(status, style),
    '',
    row('Disk', isShort ? style('red', free) : free),
    ...folders.map(({ name, bytes }) => row('', `${name.padEnd(10)}${formatBytes(bytes)}`)),
    '',
  ].join('\n')
}
