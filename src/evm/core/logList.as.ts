// The list of log records: each points to the previous one, and a revert drops the last ones.

let last: usize = 0
let count: u32 = 0

export function lastLog(): usize {
  return last
}

export function logCount(): u32 {
  return count
}

/** Appends a record; the record itself points to the previous one. */
@inline
export function appendLog(record: usize): void {
  last = record
  count++
}

/** Drops the logs after `log`; `logs` is the number of logs up to it. */
export function forgetLogsAfter(log: usize, logs: u32): void {
  last = log
  count = logs
}
