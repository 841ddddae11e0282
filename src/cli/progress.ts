/** One line on the terminal that says what is being done; nothing where there is no terminal. */

export type Progress = {
  say(text: string): void
  end(): void
}

/** Progress on standard error. */
export function createProgress(): Progress {
  if (!process.stderr.isTTY) return { say: () => undefined, end: () => undefined }
  const clear = '\r\u001B[2K'
  const started = Date.now()
  let text = ''
  const show = (): void => {
    process.stderr.write(`${clear}${text} … ${((Date.now() - started) / 1000).toFixed(1)} s`)
  }
  const timer = setInterval(show, 200)
  timer.unref()
  return {
    say(next) {
      text = next
      show()
    },
    end() {
      clearInterval(timer)
      process.stderr.write(clear)
    },
  }
}
