/** The page for what is not there. */
import { Link } from '../app/Link.tsx'
import { oneLine } from '../format/text.ts'

/** Says so, and where to go. */
export function Unknown({ what }: { readonly what: string }) {
  return (
    <section className="card notice">
      <h1>Nothing here</h1>
      <p>
        <bdi>{oneLine(what)}</bdi> is not known to this node.{' '}
        <Link to="/">See what happens now.</Link>
      </p>
    </section>
  )
}
