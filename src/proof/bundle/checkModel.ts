/** Whether the answer is from the file that its job pins (D58). */
import { parseModelReference } from '../../base/modelName.ts'
import type { BundleAnswer } from './format.ts'
import type { Findings } from './report.ts'

/** Compares the pin in the model's name, if there is one, with the file that the operator stated. */
export function checkModel(
  findings: Findings,
  { receipt, statement }: Pick<BundleAnswer, 'receipt' | 'statement'>,
): void {
  const { name = '', sha256 } = parseModelReference(receipt.model) ?? {}
  if (sha256 === undefined) return
  const isPinned = findings.check(
    statement.modelHash === sha256,
    `model "${name}" is the file that the job pins, ${sha256}`,
    `model "${name}" is the file ${statement.modelHash}, not the one that the job pins, ${sha256}`,
  )
  // Whether somebody pinned it is the dispatcher's word, until the submission is opened.
  if (isPinned && findings.proven.has('receipt.model')) findings.proves('statement.modelHash')
}
