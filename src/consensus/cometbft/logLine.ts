/** Converts lines of CometBFT's log (log_format = json) into entries of ours. */

export type LogEntry = {
  readonly level: 'debug' | 'info' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/** Parses a line. One that is not JSON comes from the Go runtime and tells why the process ends. */
export function parseLogLine(line: string): LogEntry {
  const json = parseObject(line)
  if (json === undefined) return { level: 'error', message: line, fields: {} }
  // The other names would clash with those of our own log lines.
  const { _msg: text, level, ts: _time, msg: _state, err, ...fields } = json
  const message = [text, err].filter((part) => typeof part === 'string').join(': ')
  return {
    level: level === 'error' ? 'error' : level === 'debug' ? 'debug' : 'info',
    message: message === '' ? line : message,
    fields,
  }
}
