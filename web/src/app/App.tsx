/** The page for the current path. */
import { Suspense, useEffect } from 'react'
import { Boundary } from '../parts/Boundary.tsx'
import { Now } from '../pages/Now.tsx'
import { usePath } from './navigation.ts'
import { routeOf, type Route } from './routes.ts'
import { Shell } from './Shell.tsx'
import { Unknown } from '../pages/Unknown.tsx'

const TITLES: Readonly<Record<Route['page'], string>> = {
  now: 'Now',
  block: 'Block',
  transaction: 'Transaction',
  account: 'Account',
  network: 'Network',
  jobs: 'Jobs',
  job: 'Job',
  unknown: 'Not found',
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case 'now':
      return <Now />
    default:
      return <Unknown what={location.pathname} />
  }
}

/** Everything. */
export function App() {
  const path = usePath()
  const route = routeOf(path)
  useEffect(() => {
    document.title = `${TITLES[route.page]} · Assay`
  }, [route.page])
  return (
    <Shell route={route}>
      <Boundary key={path}>
        <Suspense fallback={<p className="empty">Loading …</p>}>
          <Page route={route} />
        </Suspense>
      </Boundary>
    </Shell>
  )
}
