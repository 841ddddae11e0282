/** The page for the current path. */
import { lazy, Suspense } from 'react'
import { Boundary } from '../parts/Boundary.tsx'
import { Now } from '../pages/Now.tsx'
import { usePath } from './navigation.ts'
import { routeOf, type Route } from './routes.ts'
import { Shell } from './Shell.tsx'
import { useRouteTitle } from './title.ts'
import { Unknown } from '../pages/Unknown.tsx'

// The first page is loaded immediately, the others on navigation.
const Block = lazy(async () => ({ default: (await import('../pages/Block.tsx')).Block }))
const Transaction = lazy(async () => ({
  default: (await import('../pages/Transaction.tsx')).Transaction,
}))
const Account = lazy(async () => ({ default: (await import('../pages/Account.tsx')).Account }))
const Token = lazy(async () => ({ default: (await import('../pages/Token.tsx')).Token }))
const Network = lazy(async () => ({ default: (await import('../pages/Network.tsx')).Network }))
const Validator = lazy(async () => ({
  default: (await import('../pages/Validator.tsx')).Validator,
}))
const Chat = lazy(async () => ({ default: (await import('../pages/Chat.tsx')).Chat }))
const Jobs = lazy(async () => ({ default: (await import('../pages/Jobs.tsx')).Jobs }))
const Job = lazy(async () => ({ default: (await import('../pages/Job.tsx')).Job }))

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'now':
      return <Now />
    case 'block':
      return <Block id={route.id} />
    case 'transaction':
      return <Transaction hash={route.hash} />
    case 'account':
      return <Account address={route.address} />
    case 'token':
      return <Token address={route.address} />
    case 'network':
      return <Network />
    case 'validator':
      return <Validator operator={route.operator} />
    case 'chat':
      return <Chat />
    case 'jobs':
      return <Jobs />
    case 'job':
      return <Job id={route.id} />
    default:
      return <Unknown what={route.path} />
  }
}

/** Everything. */
export function App() {
  const path = usePath()
  const route = routeOf(path)
  useRouteTitle(route)
  return (
    <Shell route={route}>
      <Boundary key={path}>
        <Suspense fallback={<p className="empty">Loading…</p>}>
          <Page route={route} />
        </Suspense>
      </Boundary>
    </Shell>
  )
}
