/** Ends an output before the first of some texts (D137). */

/** Takes a text piece by piece; what it returns may be shown. */
export type StopFilter = {
  /** The next piece as far as no text that ends the output can begin in it. */
  push(text: string): string
  /** What was held back, once nothing follows. */
  end(): string
  /** Whether one of the texts came: what follows is not part of the output. */
  readonly hasEnded: boolean
}

/** A filter for these texts, of which none is empty. */
export function createStopFilter(stops: readonly string[]): StopFilter {
  let held = ''
  let hasEnded = false
  return {
    get hasEnded() {
      return hasEnded
    },
    push(text) {
      if (hasEnded || stops.length === 0) return hasEnded ? '' : text
      held += text
      const found = stops.map((stop) => held.indexOf(stop)).filter((at) => at >= 0)
      hasEnded = found.length > 0
      const shown = hasEnded
        ? held.slice(0, Math.min(...found))
        : held.slice(0, held.length - pending(held, stops))
      held = hasEnded ? '' : held.slice(shown.length)
      return shown
    },
    end() {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** Length of the longest end of a text that one of the stops begins with. */
function pending(text: string, stops: readonly string[]): number {
  const longest = Math.max(...stops.map((stop) => stop.length - 1))
  for (let length = Math.min(longest, text.length); length > 0; length--)
    if (stops.some((stop) => stop.startsWith(text.slice(-length)))) return length
  return 0
}
