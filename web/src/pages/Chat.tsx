/** Conversations with the models of the network; the address names the one that is shown. */
import { useEffect, useRef } from 'react'
import { Link } from '../app/Link.tsx'
import { navigate, useQuery } from '../app/navigation.ts'
import { targetOf } from '../app/query.ts'
import { useTitle } from '../app/title.ts'
import { Composer } from '../chat/Composer.tsx'
import {
  DEFAULT_SETTINGS,
  titleOf,
  type Conversation,
  type Settings,
} from '../chat/conversation.ts'
import { ask, askAgain, forget, stop, useConversations } from '../chat/store.ts'
import { Turns } from '../chat/Turns.tsx'
import { grouped } from '../format/number.ts'
import { oneLine } from '../format/text.ts'
import type { JobApi } from '../jobs/api.ts'
import { useJobApi } from '../jobs/context.ts'
import { useLogin } from '../jobs/login.ts'
import { ProjectBar, SignIn } from '../jobs/SignIn.tsx'
import { useAnswer } from '../net/useAnswer.ts'
import { Ago } from '../parts/Time.tsx'

const MODELS_MS = 5000
/** What may follow the end of the text while it is still followed as it grows. */
const NEAR_END = 160

const pathOf = (id: string | undefined): string => targetOf('/chat', { c: id })

function History({
  list,
  current,
}: {
  readonly list: readonly Conversation[]
  readonly current: string | undefined
}) {
  return (
    <nav className="card chats" aria-label="Conversations">
      <p>
        <Link to={pathOf(undefined)} isCurrent={current === undefined}>
          New conversation
        </Link>
      </p>
      <ul className="plain-list">
        {list.map((each) => (
          <li key={each.id}>
            <Link to={pathOf(each.id)} isCurrent={each.id === current}>
              <bdi>{oneLine(titleOf(each), 40)}</bdi>
            </Link>{' '}
            <span className="soft">
              <Ago seconds={Math.floor(each.time / 1000)} />
            </span>
          </li>
        ))}
      </ul>
      <p className="soft">
        {list.length === 0
          ? 'Conversations are kept in this browser alone.'
          : `${grouped(list.length)} kept in this browser alone.`}
      </p>
      {list.length > 0 && (
        <p className="actions">
          {current !== undefined && (
            <button
              type="button"
              className="plain"
              onClick={() => {
                forget(current)
                navigate(pathOf(undefined), { replaces: true })
              }}
            >
              Delete this one
            </button>
          )}
          <button
            type="button"
            className="plain"
            onClick={() => {
              forget()
              navigate(pathOf(undefined), { replaces: true })
            }}
          >
            Delete all
          </button>
        </p>
      )}
    </nav>
  )
}

/** Keeps the end of what grows in sight, for whoever is there already. */
function useEndInSight(length: number): void {
  const before = useRef(0)
  useEffect(() => {
    const { scrollHeight } = document.documentElement
    if (length === 0) return
    const wasAtEnd = before.current - window.scrollY - window.innerHeight < NEAR_END
    if (before.current !== 0 && wasAtEnd) window.scrollTo(0, scrollHeight)
    before.current = scrollHeight
  }, [length])
}

function Conversing({
  api,
  current,
}: {
  readonly api: JobApi
  readonly current: Conversation | undefined
}) {
  const models = useAnswer(api.models, [], MODELS_MS)
  const turns = current?.turns ?? []
  const last = turns.at(-1)
  const isBusy = last?.state === 'streaming'
  const settings = current?.settings ?? DEFAULT_SETTINGS
  useEndInSight(turns.reduce((sum, { text }) => sum + text.length, turns.length))

  const onAsk = (text: string, chosen: Settings): void => {
    const id = ask(current?.id, { url: api.url, text, settings: chosen })
    navigate(pathOf(id), { replaces: true })
  }
  return (
    <div className="stack">
      {turns.length === 0 && (
        <p className="soft chat-empty">
          Ask a model of this network. Each answer is signed by the operator that produced it, and
          this page verifies it.
        </p>
      )}
      <Turns api={api} turns={turns} />
      {models.state !== 'waiting' && (
        <Composer
          // The fields begin with the settings of the conversation.
          key={current?.id ?? ''}
          settings={settings}
          models={models.state === 'here' ? models.value : []}
          isBusy={isBusy}
          onAsk={onAsk}
          onAgain={
            current !== undefined && last?.role === 'assistant'
              ? (chosen) => askAgain(current.id, api.url, chosen)
              : undefined
          }
          onStop={() => current !== undefined && stop(current.id)}
        />
      )}
    </div>
  )
}

function Chatting({ api }: { readonly api: JobApi }) {
  const login = useLogin()
  const list = useConversations()
  const { c } = useQuery()
  const current = list.find(({ id }) => id === c)
  useTitle(current === undefined ? undefined : `Chat: ${titleOf(current)}`)
  return (
    <div className="chat">
      <History list={list} current={current?.id} />
      {login === undefined ? (
        <div className="stack">
          {current !== undefined && <Turns api={api} turns={current.turns} />}
          <SignIn why="Answers are jobs of a project, whose token they need." />
        </div>
      ) : (
        <Conversing api={api} current={current} />
      )}
    </div>
  )
}

/** The page of conversations. */
export function Chat() {
  const api = useJobApi()
  return (
    <>
      <div className="title">
        <h1>Chat</h1>
        <ProjectBar />
      </div>
      {api === undefined ? (
        <p className="card empty">This node has no dispatcher configured (explorer.dispatcher).</p>
      ) : (
        <Chatting api={api} />
      )}
    </>
  )
}
