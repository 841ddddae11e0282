/** Ends the PostgreSQL server when our process is gone, even when it was killed and had no chance to do so itself. */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Log } from '../../base/log.ts'
import type { Confinement } from './confinement.ts'

/**
 * Reads the process ids of the servers that we start until the pipe is closed, which the kernel does when we end; then
 * asks the last one for a fast shutdown. The process is checked first: by now its id may have been reused. $1 is the
 * data directory.
 */
const SCRIPT = `
pid=
while read -r line; do pid=$line; done
[ -n "$pid" ] || exit
if [ -r "/proc/$pid/cmdline" ]
then command=$(tr '\\0' ' ' < "/proc/$pid/cmdline")
else command=$(ps -ww -o args= -p "$pid")
fi
case "$command " in *"/bin/postgres -D $1 "*) kill -s INT "$pid" ;; esac`

/** The confinement with a guardian of the servers that are started in it, and the function that ends the guardian. */
export function guardServers(
  confinement: Confinement,
  data: string,
  log: Log,
): { readonly guarded: Confinement; readonly endGuard: () => void } {
  const guardian = spawn('/bin/sh', ['-c', SCRIPT, 'sh', data], {
    // A session of its own: a signal to our whole process group must not end the guardian first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const complain = (error: Error): void =>
    log.warn({ err: error.message }, 'PostgreSQL would outlive a kill of this process')
  guardian.on('error', complain)
  guardian.stdin.on('error', complain)
  guardian.unref()
  if (guardian.stdin instanceof Socket) guardian.stdin.unref()
  return {
    guarded: {
      ...confinement,
      start(program, args, output) {
        const child = confinement.start(program, args, output)
        if (program === 'postgres' && child.pid !== undefined)
          guardian.stdin.write(`${child.pid}\n`)
        return child
      },
    },
    endGuard: () => void guardian.kill('SIGKILL'),
  }
}
