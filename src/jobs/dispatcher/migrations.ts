/**
 * The dispatcher's schema, step by step. Times are the database's own; strings from users are stored as bytes, because
 * they may contain U+0000, which PostgreSQL's text cannot (D42).
 */
import type { RawBuilder } from 'kysely'
import type { Migrations } from '../../store/sql/migrate.ts'
import { anchors } from './migrations/anchors.ts'
import { archive } from './migrations/archive.ts'
import { clocks } from './migrations/clocks.ts'
import { committees } from './migrations/committees.ts'
import { completions } from './migrations/completions.ts'
import { control } from './migrations/control.ts'
import { jobs } from './migrations/jobs.ts'
import { lifecycle } from './migrations/lifecycle.ts'
import { limits } from './migrations/limits.ts'
import { models } from './migrations/models.ts'
import { patience } from './migrations/patience.ts'
import { privacy } from './migrations/privacy.ts'
import { protocol } from './migrations/protocol.ts'
import { review } from './migrations/review.ts'
import { webhooks } from './migrations/webhooks.ts'

const step = (statements: RawBuilder<unknown>): Migrations[string] => ({
  async up(db) {
    await statements.execute(db)
  },
})

/** All migrations. */
export const migrations: Migrations = {
  '0001-jobs': step(jobs),
  '0002-limits': step(limits),
  '0003-control': step(control),
  '0004-privacy': step(privacy),
  '0005-webhooks': step(webhooks),
  '0006-review': step(review),
  '0007-protocol': step(protocol),
  '0008-anchors': step(anchors),
  '0009-lifecycle': step(lifecycle),
  '0010-clocks': step(clocks),
  '0011-patience': step(patience),
  '0012-committees': step(committees),
  '0013-archive': step(archive),
  '0014-models': step(models),
  '0015-completions': step(completions),
}
