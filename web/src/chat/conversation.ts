/** Conversations, and how many of them this browser keeps: prompts and answers, never a token (D168). */

import type { Message } from '../jobs/types.ts'

export type Turn = {
  readonly role: 'user' | 'assistant'
  readonly text: string
  /** Of answers: `partial` ones were stopped or interrupted, so nobody signed them. */
  readonly state: 'streaming' | 'done' | 'partial' | 'failed'
  /** Job of an answer, 64 hex digits. */
  readonly job?: string
  readonly model?: string
  /** The instructions that were sent for it. */
  readonly system?: string
  /** Why there is no answer. */
  readonly problem?: string
}

export type Settings = {
  readonly model: string
  readonly system: string
  readonly temperature: number
  readonly topP: number
  readonly maxTokens: number
  /** '' leaves it to the dispatcher. */
  readonly type: '' | 'opml' | 'tee'
}

export type Conversation = {
  readonly id: string
  /** Milliseconds since 1970, of the last change. */
  readonly time: number
  readonly settings: Settings
  readonly turns: readonly Turn[]
}

export const DEFAULT_SETTINGS: Settings = {
  model: '',
  system: '',
  temperature: 0,
  topP: 1,
  maxTokens: 256,
  type: '',
}

export const LIMITS = { conversations: 50, turns: 200, textLength: 100_000, characters: 2_000_000 }

/** What is kept of conversations, the latest first: bounded in number, in turns of each, and in characters of all. */
export function bounded(list: readonly Conversation[]): readonly Conversation[] {
  let left = LIMITS.characters
  const kept: Conversation[] = []
  for (const each of list.toSorted((a, b) => b.time - a.time).slice(0, LIMITS.conversations)) {
    const turns = each.turns
      .slice(-LIMITS.turns)
      .map((turn) => ({ ...turn, text: turn.text.slice(0, LIMITS.textLength) }))
    left -= turns.reduce((sum, { text }) => sum + text.length + 200, 500)
    if (left < 0) break
    kept.push({ ...each, turns })
  }
  return kept
}

const isText = (value: unknown): value is string => typeof value === 'string'

function readTurn(value: unknown): Turn | undefined {
  const { role, text, state, job, model, system, problem } = (value ?? {}) as Record<
    string,
    unknown
  >
  if ((role !== 'user' && role !== 'assistant') || !isText(text)) return undefined
  // Whatever streamed when the page was left has no end.
  const known = state === 'done' || state === 'failed' ? state : 'partial'
  return {
    role,
    text,
    state: known,
    ...(isText(job) && /^[0-9a-f]{64}$/.test(job) && { job }),
    ...(isText(model) && { model }),
    ...(isText(system) && { system }),
    ...(isText(problem) && { problem }),
  }
}

/** Reads what was kept; whatever is not a conversation is left out. */
export function readConversations(text: string): readonly Conversation[] {
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) return []
    return bounded(
      list.flatMap((each: Partial<Conversation> | null) => {
        if (!isText(each?.id) || !Number.isFinite(each.time) || !Array.isArray(each.turns))
          return []
        const turns = each.turns.map(readTurn).filter((turn) => turn !== undefined)
        const settings = { ...DEFAULT_SETTINGS, ...each.settings }
        return [{ id: each.id, time: Number(each.time), settings, turns }]
      }),
    )
  } catch {
    return []
  }
}

/** What is sent of a conversation: its instructions, questions, and the answers that came to their end. */
export function messagesOf(
  { system }: Pick<Settings, 'system'>,
  turns: readonly Turn[],
): readonly Message[] {
  const said = turns
    .filter(({ role, state, text }) => role === 'user' || (state === 'done' && text !== ''))
    .map(({ role, text }) => ({ role, content: text }))
  return system === '' ? said : [{ role: 'system', content: system }, ...said]
}

/** A title: how the first question begins. */
export function titleOf({ turns }: Conversation): string {
  return turns.find(({ role }) => role === 'user')?.text.trim() ?? ''
}

/** What was sent for the answer at an index; undefined where too little was kept to know. */
export function sentFor(turns: readonly Turn[], index: number): readonly Message[] | undefined {
  const { system } = turns[index] ?? {}
  const before = turns.slice(0, index)
  const isWhole =
    turns.length < LIMITS.turns && before.every(({ text }) => text.length < LIMITS.textLength)
  return system === undefined || !isWhole ? undefined : messagesOf({ system }, before)
}
