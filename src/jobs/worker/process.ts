/**
 * Entry point of the worker process that an operator starts for itself (D55). Its only argument is its options as JSON.
 */
import { messageOf } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { runWorker, type WorkerOptions } from './worker.ts'

const { logLevel, ...options } = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions & {
  readonly logLevel: string
}
const stopping = new AbortController()
const log = createLog('worker', logLevel)
// The channel closes when the operator exits, for whatever reason; a worker without an operator has no purpose.
for (const reason of ['SIGINT', 'SIGTERM', 'disconnect'] as const)
  process.on(reason, () => stopping.abort(reason))

try {
  const worker = await runWorker(options, { log, signal: stopping.signal })
  process.send?.({ address: worker.address })
  const stop = async (): Promise<void> => {
    await worker.close()
    process.exit(0)
  }
  if (stopping.signal.aborted) await stop()
  stopping.signal.addEventListener('abort', () => void stop())
} catch (error) {
  log.error({ reason: messageOf(error) }, 'the worker cannot start')
  process.exit(1)
}
