/** The models that connected operators serve, and what they are (D144). */
import { sql } from 'kysely'
import { isModelName } from '../../../base/modelName.ts'
import type { JobType } from '../../../proof/job/job.ts'
import type { KnownModel } from '../../otherFile.ts'
import type { ModelEntry } from '../schemas.ts'
import { SESSION_SECONDS } from '../sessions.ts'
import type { DispatcherSql } from '../tables.ts'
import { findRegistered } from './registry.ts'

const isLive = sql<boolean>`s.seen_at > now() - ${sql.lit(SESSION_SECONDS)} * interval '1 second'`
/** Files of one name that are listed: operators may state any number. */
const MAX_FILES = 64

type Served = { model: string; type: string; operators: bigint; slots: bigint }
type Stated = KnownModel & { model: string; type: string; operators: bigint }

/** By name and job type: operators, the sum of their slots, what the name is registered for, and the files that they state. */
export async function listModels(store: DispatcherSql): Promise<ModelEntry[]> {
  const served = await readServed(store)
  const names = [...new Set(served.map(({ model }) => model))]
  const [registered, stated] = [await findRegistered(store, names), await readStated(store)]
  const files = new Map<string, Stated[]>()
  for (const row of stated) {
    const key = `${row.type} ${row.model}`
    const list = files.get(key) ?? []
    if (list.length < MAX_FILES) list.push(row)
    files.set(key, list)
  }
  return served.map(({ model, type, operators, slots }) => {
    const entry = registered.get(model)
    const jobType: JobType = type === 'tee' ? 'tee' : 'opml'
    return {
      model,
      job_type: jobType,
      operators: Number(operators),
      slots: Number(slots),
      pinned: entry !== undefined,
      ...(entry !== undefined && { registered: hashesOf(entry) }),
      identities: (files.get(`${type} ${model}`) ?? []).map((file) => ({
        ...hashesOf(file),
        operators: Number(file.operators),
      })),
    }
  })
}

async function readServed({ db }: DispatcherSql): Promise<Served[]> {
  const { rows } = await sql<Served>`
    select model, type, count(*) as operators, sum(s.slots)::bigint as slots
    from sessions s cross join unnest(s.models) model cross join unnest(s.workers) type
    where ${isLive} group by model, type order by model, type`.execute(db)
  return rows.filter(({ model }) => isModelName(model))
}

/** Only of models that the registry does not refuse. */
async function readStated({ db }: DispatcherSql): Promise<Stated[]> {
  const { rows } = await sql<Stated>`
    select i.model, i.type, i.sha256, i."modelRoot", i."templateHash", i."tokenListHash",
      count(*) as operators
    from sessions s cross join json_to_recordset(coalesce(s.offered->'identities', '[]')) as
      i(model text, type text, sha256 text, "modelRoot" text, "templateHash" text, "tokenListHash" text)
    where ${isLive} and s.offered->>'session' = s.session and i.model = any(s.models)
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, operators desc, 3`.execute(db)
  return rows
}

function hashesOf({ sha256, modelRoot, templateHash, tokenListHash }: KnownModel) {
  return {
    sha256,
    ...(modelRoot != null && { model_root: modelRoot }),
    ...(templateHash != null && { template_hash: templateHash }),
    ...(tokenListHash != null && { token_list_hash: tokenListHash }),
  }
}
