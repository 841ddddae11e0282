/** A progress line on the terminal; nothing without a terminal. */

/** A bar for a share from 0 to 1. */
export function progressBar(share: number, width = 30): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width)
  return `[${'#'.repeat(full)}${'.'.repeat(width - full)}] ${Math.floor(share * 100)} %`
}

export type Progress = {
  /** Shows a step; the seconds next to it count from the first step since the last end. */
  say(text: string): void
  end(): void
}

/** Progress on standard error. */
export function createProgress(): Progress {
  if (!process.stderr.isTTY) return { say: () => undefined, end: () => undefined }
  const clear = '\r\u001B[2K'
  let started = 0
  let text = ''
  let timer: NodeJS.Timeout | undefined
  const show = (): void => {
    process.stderr.write(`${clear}${text} … ${((Date.now() - started) / 1000).toFixed(1)} s`)
  }
  return {
    say(next) {
      text = next
      if (timer === undefined) {
        started = Date.now()
        timer = setInterval(show, 200)
        timer.unref()
      }
      show()
    },
    end() {
      clearInterval(timer)
      timer = undefined
      process.stderr.write(clear)
    },
  }
}

/** Shows a step with a bar; called with the part that is done and the whole, as often as one likes. */
export function progressOf(progress: Progress, text: string): (done: number, of: number) => void {
  let shown = -1
  return (done, of) => {
    const percent = Math.floor((done / of) * 100)
    if (percent !== shown) progress.say(`${text} ${progressBar(done / of)}`)
    shown = percent
  }
}
