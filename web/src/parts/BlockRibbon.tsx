/** The last blocks side by side: how much gas each used, with the newest at the right. */
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { grouped, percent } from '../format/number.ts'
import type { Head } from '../live/head.ts'

const SHOWN = 60
/** Height of an empty block, in percent. */
const LEAST = 6

/** Each block is a bar, as high as the square root of its share of the fullest one shown. The table says the same in words. */
export function BlockRibbon({ heads }: { readonly heads: readonly Head[] }) {
  const shown = heads.slice(0, SHOWN).reverse()
  const most = Math.max(1, ...shown.map((head) => head.gasUsed))
  return (
    <div className="ribbon" aria-hidden="true">
      {shown.map((head) => (
        <Link
          key={head.height}
          to={paths.block(head.height)}
          className={head.gasUsed === 0 ? 'ribbon-block is-empty' : 'ribbon-block'}
          style={{ height: `${LEAST + Math.sqrt(head.gasUsed / most) * (100 - LEAST)}%` }}
          title={`${grouped(head.height)}: ${grouped(head.transactions.length)} transactions, ${percent(head.gasUsed, head.gasLimit)} full`}
          isExtra
        />
      ))}
    </div>
  )
}
