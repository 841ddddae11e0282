/** Runs a transaction once more and writes what debug_traceTransaction answers by default. */
import { utf8 } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { createEngine } from '../createEngine.ts'
import type { TransitionRules } from '../rules.ts'
import type { Transactable } from '../transactable.ts'
import { runTransaction } from '../transition.ts'
import type { BlockEnvironment, StateView } from '../types.ts'
import type { EngineOptions } from '../wasm/instance.ts'
import { createStructLogTracer, type StructLogOptions } from './structLog.ts'

/** A transaction where it stood: in its block, after those before it. */
export type TracedTransaction = {
  readonly transaction: Transactable
  readonly block: BlockEnvironment
  readonly state: StateView
  readonly rules: TransitionRules
}

/**
 * `{gas, failed, returnValue, structLogs}` as pieces of ASCII JSON: `gas` is what the transaction paid for, `returnValue`
 * its output or revert data. `engine` has what ends an execution that takes too long (`poll`); what that throws comes out
 * of here.
 */
export async function traceTransaction(
  { transaction, block, state, rules }: TracedTransaction,
  options: StructLogOptions = {},
  engine: Pick<EngineOptions, 'poll' | 'seed'> = {},
): Promise<readonly Uint8Array[]> {
  const tracer = createStructLogTracer(options)
  const traced = createEngine(rules.hardfork, { ...engine, listener: tracer.listener })
  const result = await runTransaction(traced, transaction, block, state, rules)
  const isFailed = result.status !== 'success'
  const head = `{"gas":${result.gasUsed},"failed":${isFailed},"returnValue":"${toHex(result.output)}","structLogs":`
  return [utf8(head), ...tracer.logs(), utf8('}')]
}
