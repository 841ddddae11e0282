/** What every long-running command shares: one stop signal, one way to report readiness and one way to fail. */
import { holdReserve } from '../base/descriptors.ts'
import { exitCodeOf, messageOf, UserError } from '../base/errors.ts'
import { createLog, type Log } from '../base/log.ts'

/** Sent by a supervised process to its supervisor, over Node's IPC channel. */
export type ServiceMessage =
  | { readonly type: 'ready'; readonly details: Readonly<Record<string, string>> }
  | { readonly type: 'failed'; readonly message: string; readonly advice: string }

export type Service = {
  readonly signal: AbortSignal
  readonly log: Log
  /** Reports that the service is ready; `details` are its addresses. */
  ready(details: Readonly<Record<string, string>>): void
  /** Ends the process immediately after a failure that makes it unsafe to continue (D54). */
  fatal(error: unknown): never
}

/** Shorter than a supervisor's timeout, so that a process that hangs reports it itself. */
const HARD_STOP_MS = 10_000

/** Resolves when the supervisor has the message, or if there is no supervisor. */
function tell(message: ServiceMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve()
    else process.send(message, () => resolve())
  })
}

/**
 * Runs a service until SIGINT, SIGTERM or the loss of its supervisor. `start` returns the function that stops it. The
 * process exits with 0 after an orderly stop, with 1, or what the
 * error says, after a failure or when stopping, or starting, takes longer than
 * `hardStopMs` from then on.
 */
export async function runService(
  name: string,
  logLevel: string,
  start: (service: Service) => Promise<() => Promise<void>>,
  hardStopMs = HARD_STOP_MS,
): Promise<void> {
  const stopping = new AbortController()
  const log = createLog(name, logLevel)
  holdReserve()
  // Node would open its debugger on SIGUSR1, from which any process of this user could read keys.
  process.on('SIGUSR1', () => undefined)
  for (const reason of ['SIGINT', 'SIGTERM', 'disconnect'] as const)
    process.on(reason, () => stopping.abort(reason))
  // A supervisor that was killed while this process was loading leaves no event.
  if (process.send !== undefined && !process.connected) stopping.abort('disconnect')
  const stopped = aborted(stopping.signal)
  void stopped.then(() => {
    log.info({ reason: String(stopping.signal.reason) }, 'stopping')
    setTimeout(() => {
      log.error('did not stop in time')
      process.exit(1)
    }, hardStopMs).unref()
  })

  const fatal = (error: unknown): never => {
    const advice = error instanceof UserError ? error.advice : ''
    if (error instanceof UserError) log.fatal({ advice }, error.message)
    else log.fatal({ err: error }, 'stopping at once')
    void tell({ type: 'failed', message: messageOf(error), advice })
    process.exit(exitCodeOf(error))
  }
  process.on('uncaughtException', fatal)
  process.on('unhandledRejection', fatal)

  let stop: () => Promise<void>
  try {
    stop = await start({
      signal: stopping.signal,
      log,
      ready: (details) => {
        log.info(details, 'ready')
        void tell({ type: 'ready', details })
      },
      fatal,
    })
  } catch (error) {
    if (stopping.signal.aborted) process.exit(0)
    await tell({
      type: 'failed',
      message: messageOf(error),
      advice: error instanceof UserError ? error.advice : '',
    })
    throw error
  }
  await stopped
  await stop()
  process.exit(0)
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
