/** The page for anything that does not exist. */
import { Link } from '../app/Link.tsx'
import { oneLine } from '../format/text.ts'

/** Says so, and where to go. */
export function Unknown({ what }: { readonly what: string }) {
  return (
    <section className="card notice">
      <h1>Not found</h1>
      <p>
        <bdi>{oneLine(what)}</bdi> is unknown to this node.{' '}
        <Link to="/">See the latest blocks.</Link>
      </p>
    </section>
  )
}
