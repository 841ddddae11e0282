/** The addresses that this page talks to, from /config.json of its own server. */

export type Endpoints = {
  readonly rpc: string
  readonly ws: string
  readonly comet: string
  readonly dispatcher: string | null
}

const RETRY_MS = 500

/** Asks until the node is ready. */
export async function loadEndpoints(): Promise<Endpoints> {
  for (;;) {
    const response = await fetch('/config.json').catch(() => undefined)
    if (response?.ok === true) return (await response.json()) as Endpoints
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}
