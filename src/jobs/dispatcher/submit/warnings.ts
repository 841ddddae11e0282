/** What a submitter is told about a job that is accepted all the same (D145). */
import { parseModelReference } from '../../../base/modelName.ts'
import type { Committees } from '../committees.ts'
import { isServed } from '../jobs.ts'
import { params, submittedJob, type SubmittedJob } from '../schemas.ts'
import type { DispatcherSql } from '../tables.ts'

/** Keys and names are quoted up to this length: a job may have any. */
const MAX_QUOTED = 64
const MAX_KEYS = 16
const MAX_FILES = 4

const JOB_KEYS: ReadonlySet<string> = new Set(Object.keys(submittedJob.shape))
const PARAM_KEYS: ReadonlySet<string> = new Set(Object.keys(params.shape))

/** What is said about a job, a sentence each; nothing about most. `model` is what operators are looked for by. */
export async function warningsAbout(
  job: SubmittedJob,
  model: string,
  { sql, committees }: { readonly sql: DispatcherSql; readonly committees: Committees },
): Promise<readonly string[]> {
  return [
    ...unsupported(job),
    ...(await unserved(job.tag, model, sql, committees)),
    ...ambiguous(job.tag, model, committees),
  ]
}

/** Unknown keys are ignored (D42), which whoever wrote one would not expect. */
function unsupported(job: SubmittedJob): readonly string[] {
  const keys = [
    ...Object.keys(job.params ?? {})
      .filter((key) => !PARAM_KEYS.has(key))
      .map((key) => `params.${key}`),
    ...Object.keys(job).filter((key) => !JOB_KEYS.has(key)),
  ]
  const more = keys.length > MAX_KEYS ? [`${keys.length - MAX_KEYS} more keys are ignored`] : []
  return [
    ...keys.slice(0, MAX_KEYS).map((key) => `${quoted(key)} is not supported and is ignored`),
    ...more,
  ]
}

/** The memory of this replica may be a moment old, so the database has the last word. */
async function unserved(
  type: SubmittedJob['tag'],
  model: string,
  sql: DispatcherSql,
  committees: Committees,
): Promise<readonly string[]> {
  if (committees.count({ type, model }) > 0 || (await isServed(sql, type, model))) return []
  const reference = parseModelReference(model)
  const files = reference?.sha256 === undefined ? [] : filesOf(type, reference.name, committees)
  return [
    `no connected ${type} operator serves the model ${quoted(model)}: the job waits until one does, or expires at its deadline` +
      (files.length > 0 ? `; connected operators serve ${files.join(', ')} under this name` : ''),
  ]
}

/** A name alone may mean several files. */
function ambiguous(
  type: SubmittedJob['tag'],
  model: string,
  committees: Committees,
): readonly string[] {
  const files = filesOf(type, model, committees)
  if (files.length < 2) return []
  return [
    `operators serve different files as ${quoted(model)} (${files.join(', ')}): pin one with @sha256: after the name`,
  ]
}

function filesOf(type: string, name: string, committees: Committees): readonly string[] {
  const files = committees.filesOf({ type, model: name })
  const more = files.length > MAX_FILES ? [`${files.length - MAX_FILES} more`] : []
  return [...files.slice(0, MAX_FILES).map((digits) => `sha256:${digits}`), ...more]
}

function quoted(text: string): string {
  const short = text.length > 2 * MAX_QUOTED + 80 ? `${text.slice(0, MAX_QUOTED)}…` : text
  return `"${short.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')}"`
}
