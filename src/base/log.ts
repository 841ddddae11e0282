/** Structured logs (D39): one JSON object per line on standard error. Secrets never reach them. */
import { pino, type Logger } from 'pino'

export type Log = Logger

/** Names of fields that hold secrets; their values are redacted wherever they appear in a logged object. */
const SECRET_NAMES = [
  'authorization',
  'jwt',
  'mnemonic',
  'passphrase',
  'password',
  'privateKey',
  'prompt',
  'secret',
  'signer_key',
  'token',
  'verify',
  'vrf_key',
]

/** Levels that `log.level` accepts. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

/** Maximum number of bytes buffered while the disk is full; later lines are dropped. */
const BACKLOG = 1024 * 1024

/** A logger for one program; `name` is its process ("node", "dispatcher", …). */
export function createLog(name: string, level: string = 'info'): Log {
  const output = pino.destination({ fd: 2, sync: true, maxLength: BACKLOG })
  // A line that can't be written (full disk, closed terminal) must not end the process.
  output.on('error', () => undefined)
  return pino(
    {
      name,
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: SECRET_NAMES.flatMap((secret) => [secret, `*.${secret}`]),
        censor: '[secret]',
      },
    },
    output,
  )
}
