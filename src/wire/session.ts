/**
 * A persistent connection (WebSocket or IPC): answers messages as they complete and carries the subscriptions of its
 * client.
 */
import type { Dispatch } from './dispatch.ts'
import type { BlockProfile, Caller } from './method.ts'
import { isRawJson, joinJson, type JsonText } from './rawJson.ts'

/** The interface of a transport. */
export type Channel = {
  /** Queues one message and calls back when it has left this process, or never will. */
  write(text: JsonText, onSent: () => void): void
  /** Stops or resumes reading from the client. */
  setPaused(isPaused: boolean): void
  /** Disconnects a client that reads too slowly. */
  drop(): void
}

export type SessionOptions = {
  readonly dispatch: Dispatch
  readonly who: Omit<Caller, 'profile' | 'connection'>
  readonly profile: BlockProfile
  /**
   * Maximum number of characters queued for a client. A client with more notifications is disconnected: it subscribed
   * to more than it reads. With more responses, reading from it pauses until it has taken some.
   */
  readonly sendBufferLimit: number
}

export type Session = {
  /** Answers a message asynchronously and not necessarily in order. */
  receive(text: string): void
  /** Ends all subscriptions. The channel is closed. */
  end(): void
}

/** Maximum number of messages of one client in progress. */
const MAX_IN_FLIGHT = 64

function notificationText(subscription: string, result: unknown): JsonText {
  const head = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":${JSON.stringify(subscription)},"result":`
  return joinJson([head, isRawJson(result) ? result : JSON.stringify(result), '}}'])
}

/** Starts a session. */
export function createSession(channel: Channel, options: SessionOptions): Session {
  const { dispatch, who, profile, sendBufferLimit } = options
  const controller = new AbortController()
  const subscriptions = new Map<string, AbortController>()
  let inFlight = 0
  let waitingAnswers = 0
  let waitingNotifications = 0
  let isPaused = false

  function adjustReading(): void {
    const shouldPause = inFlight >= MAX_IN_FLIGHT || waitingAnswers > sendBufferLimit
    if (shouldPause === isPaused) return
    isPaused = shouldPause
    channel.setPaused(isPaused)
  }

  function sendAnswer(text: JsonText): void {
    waitingAnswers += text.length
    channel.write(text, () => {
      waitingAnswers -= text.length
      adjustReading()
    })
  }

  function sendNotification(text: JsonText): void {
    channel.write(text, () => {
      waitingNotifications -= text.length
    })
  }

  /**
   * Notifications of a subscription that this very message creates wait until its response is sent: a client cannot
   * know the id earlier.
   */
  async function process(text: string): Promise<void> {
    let held: JsonText[] | undefined = []
    const notify = (subscriptionId: string, result: unknown): boolean => {
      if (controller.signal.aborted) return false
      if (waitingNotifications > sendBufferLimit) {
        channel.drop()
        return false
      }
      const notification = notificationText(subscriptionId, result)
      waitingNotifications += notification.length
      if (held === undefined) sendNotification(notification)
      else held.push(notification)
      return true
    }
    const connection = { notify, signal: controller.signal, subscriptions }
    const answer = await dispatch(text, { ...who, profile, connection })
    if (controller.signal.aborted) return
    if (answer.text !== undefined) sendAnswer(answer.text)
    for (const notification of held) sendNotification(notification)
    held = undefined
  }

  async function track(text: string): Promise<void> {
    inFlight++
    adjustReading()
    try {
      await process(text)
    } finally {
      inFlight--
      adjustReading()
    }
  }

  return {
    receive(text) {
      void track(text)
    },
    end() {
      controller.abort()
      for (const subscription of subscriptions.values()) subscription.abort()
      subscriptions.clear()
    },
  }
}
