/** Answers from another file than the one that the job pins, or that is registered for its name (D144). */
import { parseModelReference } from '../../../base/modelName.ts'
import { NO_ROOT, type Statement } from '../../../proof/job/statement.ts'
import { otherFile, type KnownModel } from '../../otherFile.ts'
import type { ModelIdentity, Result } from '../../protocol.ts'
import type { Known } from '../check.ts'
import type { DispatcherSql } from '../tables.ts'
import { findRegistered } from './registry.ts'
import { noteIdentity } from './sessionModels.ts'

export type OtherModel = { readonly reason: string; readonly found: ModelIdentity }

/** Zeros are an engine, or a plain prompt, that states nothing. */
function stated(hash: string | undefined): string | undefined {
  return hash === NO_ROOT ? undefined : hash
}

function modelOf(statement: Statement): KnownModel {
  return {
    sha256: statement.modelHash,
    modelRoot: stated(statement.modelRoot),
    templateHash: stated(statement.templateHash),
    tokenListHash: stated(statement.tokenListHash),
  }
}

/** The difference, or undefined if the answer is from the right file, or from any where none is pinned or registered. */
export async function otherModel(
  sql: DispatcherSql,
  { job }: Pick<Known, 'job'>,
  { answer }: Pick<Result, 'answer'>,
): Promise<OtherModel | undefined> {
  const reference = parseModelReference(job.model)
  if (answer === undefined || reference === undefined) return undefined
  const { name, sha256 } = reference
  const served = modelOf(answer.statement)
  const pinned = sha256 === undefined ? undefined : otherFile(name, { sha256 }, served)
  const registered = (await findRegistered(sql, [name])).get(name)
  const reason = pinned ?? (registered && otherFile(name, registered, served))
  if (reason === undefined) return undefined
  return { reason, found: { model: name, type: job.tag, sha256: served.sha256 } }
}

/** Counts such an answer against its operator, which gets no more jobs of that kind until it offers the model again. */
export async function recordOtherModel(
  sql: DispatcherSql,
  handout: { readonly operator: string; readonly lease: string },
  { found }: OtherModel,
): Promise<void> {
  await sql.db
    .updateTable('operators')
    .set((row) => ({ other_files: row('other_files', '+', 1n) }))
    .where('address', '=', handout.operator)
    .execute()
  await noteIdentity(sql, handout, found)
}
