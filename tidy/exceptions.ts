/** Places where a rule of the house does not hold, each with the reason. One that is no longer needed is a fault itself. */
import type { Fault } from './fault.ts'

export type Exception = Pick<Fault, 'file' | 'rule' | 'subject'> & { readonly why: string }

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'src/base/version.ts',
    rule: 'arrows',
    subject: 'package.json',
    why: 'the version stands there alone; the file is in the package',
  },
  {
    file: 'src/inference/llamaRuntime.ts',
    rule: 'arrows',
    subject: 'computed',
    why: 'llama.cpp is installed at a place that is known at run time',
  },
  {
    file: 'src/base/backOff.ts',
    rule: 'machine',
    subject: 'Math.random',
    why: 'spreads reconnections; to foresee it gains nothing',
  },
  {
    file: 'src/wire/ipc.ts',
    rule: 'machine',
    subject: 'environment',
    why: 'the mask of the process makes the socket private from its first moment',
  },
  {
    file: 'src/base/hex.ts',
    rule: 'determinism',
    subject: 'environment',
    why: 'looks for Node to write hex digits faster; the digits are the same',
  },
  {
    file: 'src/base/wasm.ts',
    rule: 'determinism',
    subject: 'environment',
    why: 'WebAssembly lacks types outside of pages; it computes the same everywhere',
  },
  {
    file: 'src/wire/rawJson.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'a method of this node wrote the text',
  },
  {
    file: 'src/rpc/executions/javascript/tracer.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'in a worker with a time limit: the text is checked, its value is dropped',
  },
  {
    file: 'src/consensusRpc/encode/genesis.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'the genesis of this chain',
  },
  {
    file: 'src/consensusRpc/endpoints/genesis.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'the genesis of this chain',
  },
  {
    file: 'src/jobs/operator/outbox.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: "rows of the operator's own database",
  },
  {
    file: 'src/jobs/worker/process.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'the options with which this program started the worker',
  },
  {
    file: 'src/jobs/dispatcher/record.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'a job from the database, which was read with a budget when it came',
  },
  {
    file: 'src/jobs/dispatcher/receipts/bundle.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'a job from the database, which was read with a budget when it came',
  },
  {
    file: 'src/jobs/dispatcher/jobs.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'a job from the database, which was read with a budget when it came',
  },
  {
    file: 'src/jobs/evidencePolicy.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'a file of the user',
  },
  {
    file: 'src/explorer/assets.ts',
    rule: 'parsing',
    subject: 'JSON.parse',
    why: 'a file of the build',
  },
]

/** The faults that no exception covers, and a fault for each exception that covers none. */
export function withoutExceptions(
  faults: readonly Fault[],
  exceptions: readonly Exception[] = EXCEPTIONS,
): readonly Fault[] {
  const covers = (exception: Exception, fault: Fault): boolean =>
    exception.file === fault.file &&
    exception.rule === fault.rule &&
    exception.subject === fault.subject
  const stale = exceptions.filter((exception) => !faults.some((fault) => covers(exception, fault)))
  return [
    ...faults.filter((fault) => !exceptions.some((exception) => covers(exception, fault))),
    ...stale.map(({ file, rule, subject }) => ({
      file: 'tidy/exceptions.ts',
      line: 0,
      rule: 'exceptions',
      subject,
      message: `${file} does not need its exception from ${rule} for ${subject}: remove it`,
    })),
  ]
}
