/** The conversations of this browser, and the answers that are on their way: these go on while other pages are shown. */
import { useSyncExternalStore } from 'react'
import { currentLogin, logIn } from '../jobs/login.ts'
import { rememberJob } from '../jobs/recent.ts'
import {
  bounded,
  LIMITS,
  messagesOf,
  readConversations,
  type Conversation,
  type Settings,
  type Turn,
} from './conversation.ts'
import { askChat, ChatError } from './stream.ts'

const KEY = 'assay.chats'

const listeners = new Set<() => void>()
const running = new Map<string, AbortController>()
let conversations: readonly Conversation[] | undefined

function all(): readonly Conversation[] {
  conversations ??= readConversations(localStorage.getItem(KEY) ?? '[]')
  return conversations
}

function set(next: readonly Conversation[]): void {
  conversations = next
  for (const listener of listeners) listener()
}

/** Keeps everything in the browser; without room for it there, until the page is left. */
function keep(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(bounded(all())))
  } catch {
    // The browser's storage is full or closed.
  }
}

/** By the time: a browser begins no two conversations in one millisecond. */
function newId(): string {
  return Date.now().toString(36)
}

function put(conversation: Conversation): void {
  set(bounded([conversation, ...all().filter(({ id }) => id !== conversation.id)]))
}

/** All of them, the latest first. */
export function useConversations(): readonly Conversation[] {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, all)
}

/** Forgets one conversation, or all of them. */
export function forget(id?: string): void {
  for (const [each, stopping] of running) if (id === undefined || each === id) stopping.abort()
  set(id === undefined ? [] : all().filter((each) => each.id !== id))
  keep()
}

/** Stops the answer of a conversation, which cancels its job. */
export function stop(id: string): void {
  running.get(id)?.abort()
}

/** Changes the last turn of a conversation; nothing if it is forgotten. */
function change(id: string, edit: (turn: Turn) => Turn): void {
  const found = all().find((each) => each.id === id)
  const last = found?.turns.at(-1)
  if (found === undefined || last === undefined) return
  const changed = { ...found, turns: [...found.turns.slice(0, -1), edit(last)] }
  set(all().map((each) => (each.id === id ? changed : each)))
}

function problemOf(error: unknown): string {
  if (error instanceof ChatError) return error.message
  return error instanceof TypeError
    ? 'the job API does not respond'
    : String((error as { message?: unknown } | null)?.message ?? error)
}

async function follow(id: string, url: string, conversation: Conversation): Promise<void> {
  const stopping = new AbortController()
  running.set(id, stopping)
  const { settings, turns } = conversation
  let length = 0
  try {
    const request = {
      url,
      token: currentLogin()?.token ?? '',
      settings,
      messages: messagesOf(settings, turns),
      signal: stopping.signal,
    }
    for await (const part of askChat(request)) {
      if (part.kind === 'job') change(id, (turn) => ({ ...turn, job: part.id }))
      if (part.kind === 'text') {
        length += part.text.length
        if (length > LIMITS.textLength) throw new ChatError(0, 'the answer is too long to be shown')
        change(id, (turn) => ({ ...turn, text: turn.text + part.text }))
      }
      if (part.kind === 'end') {
        change(id, (turn) => ({ ...turn, state: 'done' }))
        const job = all()
          .find((each) => each.id === id)
          ?.turns.at(-1)?.job
        if (job !== undefined) rememberJob({ id: job, model: settings.model, time: Date.now() })
      }
    }
  } catch (error) {
    const isStopped = stopping.signal.aborted
    if (error instanceof ChatError && error.status === 401) logIn(undefined)
    change(id, (turn) => ({
      ...turn,
      state: isStopped || turn.text !== '' ? 'partial' : 'failed',
      ...(!isStopped && { problem: problemOf(error) }),
    }))
  } finally {
    if (running.get(id) === stopping) running.delete(id)
    keep()
  }
}

/** Asks in a conversation, which begins with it if `id` names none. Returns the conversation's id. */
export function ask(
  id: string | undefined,
  question: { readonly url: string; readonly text: string; readonly settings: Settings },
): string {
  const { url, text, settings } = question
  const found = all().find((each) => each.id === id)
  const own = found?.id ?? newId()
  const asked: Conversation = {
    id: own,
    time: Date.now(),
    settings,
    turns: [...(found?.turns ?? []), { role: 'user', text, state: 'done' }],
  }
  const { model, system } = settings
  const answer: Turn = { role: 'assistant', text: '', state: 'streaming', model, system }
  put({ ...asked, turns: [...asked.turns, answer] })
  keep()
  void follow(own, url, asked)
  return own
}

/** Asks the last question of a conversation again, with these settings. */
export function askAgain(id: string, url: string, settings: Settings): void {
  const found = all().find((each) => each.id === id)
  const at = found?.turns.findLastIndex(({ role }) => role === 'user') ?? -1
  const question = found?.turns[at]
  if (found === undefined || question === undefined) return
  put({ ...found, turns: found.turns.slice(0, at) })
  ask(id, { url, text: question.text, settings })
}
