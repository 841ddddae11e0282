/** eth_subscribe over a WebSocket that reconnects whenever it is lost. */

export type SubscriptionState = 'connecting' | 'live' | 'lost'

const FIRST_RETRY_MS = 300
const LONGEST_RETRY_MS = 10_000

type Message = {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly result?: unknown }
}

/** Subscribes until the signal ends it. `onState` is called with the state of the connection. */
export function subscribe(
  url: string,
  params: readonly unknown[],
  handlers: {
    readonly onItem: (item: unknown) => void
    readonly onState: (state: SubscriptionState) => void
  },
  signal: AbortSignal,
): void {
  let wait = FIRST_RETRY_MS

  function open(): void {
    if (signal.aborted) return
    const socket = new WebSocket(url)
    const end = () => socket.close()
    signal.addEventListener('abort', end, { once: true })
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params })),
    )
    socket.addEventListener('message', ({ data }) => {
      const message = parse(data)
      if (message?.method === 'eth_subscription') handlers.onItem(message.params?.result)
      else if (message?.id === 1) {
        wait = FIRST_RETRY_MS
        handlers.onState('live')
      }
    })
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', end)
      if (signal.aborted) return
      handlers.onState('lost')
      setTimeout(open, wait)
      wait = Math.min(wait * 2, LONGEST_RETRY_MS)
    })
  }

  handlers.onState('connecting')
  open()
}

function parse(data: unknown): Message | undefined {
  try {
    return JSON.parse(String(data)) as Message
  } catch {
    return undefined
  }
}
