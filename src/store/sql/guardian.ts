/** Ends the PostgreSQL server when our process is gone, even when it was killed and could do nothing itself any more. */
import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import type { Log } from '../../base/log.ts'
import type { Confinement } from './confinement.ts'

/**
 * Reads the process numbers of the servers that we start until we have closed the pipe, which the kernel does at our end;
 * then asks the last one for a fast shutdown. It is looked at first: by now its number may be somebody else's. $1 is the
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

/** The confinement with a guard over the servers that are started in it, and the function that ends the guard. */
export function guardServers(
  confinement: Confinement,
  data: string,
  log: Log,
): { readonly guarded: Confinement; readonly endGuard: () => void } {
  const guardian = spawn('/bin/sh', ['-c', SCRIPT, 'sh', data], {
    // A session of its own: what ends our whole process group must not end the guard first.
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
