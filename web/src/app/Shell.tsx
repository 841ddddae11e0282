/** The frame around every page: name, search, navigation, and the chain's height. */
import type { ReactNode } from 'react'
import { grouped } from '../format/number.ts'
import { useLive } from '../live/context.ts'
import { Link } from './Link.tsx'
import type { Route } from './routes.ts'
import { Search } from './Search.tsx'
import { ThemeButton } from './Theme.tsx'

const WAYS = [
  { to: '/', name: 'Now', pages: ['now'] },
  { to: '/network', name: 'Network', pages: ['network', 'validator'] },
  { to: '/chat', name: 'Chat', pages: ['chat'] },
  { to: '/jobs', name: 'Jobs', pages: ['jobs', 'job'] },
]

const STATES = { connecting: 'connecting', live: 'live', lost: 'connection lost, retrying' }

function Height() {
  const { state, heads } = useLive()
  const height = heads[0]?.height
  return (
    <span className={`height height-${state}`} title={STATES[state]}>
      <span className="pulse" aria-hidden="true" />
      <span className="visually-hidden">{`${STATES[state]}, block `}</span>
      {height === undefined ? '…' : grouped(height)}
    </span>
  )
}

/** The frame of a page. */
export function Shell({
  route,
  children,
}: {
  readonly route: Route
  readonly children: ReactNode
}) {
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="head">
        <Link to="/" className="wordmark" label="Assay explorer, home">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path className="mark-ground" d="M16 1.5 30.5 16 16 30.5 1.5 16Z" />
            <path className="mark-line" d="M10.2 22 16 9.2 21.8 22M12.4 17.6h7.2" />
          </svg>
          assay
        </Link>
        <nav className="ways" aria-label="Pages">
          {WAYS.map(({ to, name, pages }) => (
            <Link key={to} to={to} isCurrent={pages.includes(route.page)}>
              {name}
            </Link>
          ))}
        </nav>
        <Search />
        <Height />
        <ThemeButton />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer className="foot">
        <p>
          This page reads the chain directly from your browser. It connects to this node and to
          nothing else.
        </p>
      </footer>
    </>
  )
}
