/** One QuickJS for one tracer: its limits, and the functions that the prelude relies on. */
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { RpcError } from '../../../wire/errors.ts'

const MEMORY_LIMIT = 64 << 20
const STACK_LIMIT = 1 << 20

/** An interpreter with a memory of its own. Its faults and its memory go when it is dropped. */
export function loadQuickJs(): Promise<QuickJSWASMModule> {
  return newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
}

/** Arguments and results of the host's functions. */
export type HostValue = number | bigint | string | boolean | Uint8Array | undefined

/** A function of the host; bytes are passed as Uint8Array. */
export type HostFunction = (...args: readonly (Uint8Array | string | number)[]) => HostValue

export type Machine = {
  /**
   * Evaluates an expression. Handles live until the machine is closed, except those that `call` returns. Throws
   * RpcError with the error that the expression threw.
   */
  evaluate(source: string, file: string): QuickJSHandle
  /** Calls a function. Throws RpcError, which names the tracer's function that failed. */
  call(name: string, target: QuickJSHandle, ...args: readonly QuickJSHandle[]): QuickJSHandle
  /** An object of functions. */
  host(functions: Readonly<Record<string, HostFunction>>): QuickJSHandle
  handle(value: HostValue): QuickJSHandle
  property(target: QuickJSHandle, name: string): QuickJSHandle
  read(handle: QuickJSHandle): unknown
  /** Frees everything. Not to be called after an error: then the whole interpreter is dropped. */
  close(): void
}

function messageOf(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const { name, message } = thrown as { readonly name?: unknown; readonly message?: unknown }
  return `${typeof name === 'string' ? `${name}: ` : ''}${String(message)}`
}

/** When a program makes the interpreter itself fail, the program is at fault. */
function attempt<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    // A trap of WebAssembly.
    if (!(error instanceof Error) || error.name !== 'RuntimeError') throw error
    throw new RpcError('server', `the interpreter failed: ${error.message}`)
  }
}

function startRuntime(quickJs: QuickJSWASMModule, isOver: () => boolean): QuickJSRuntime {
  const runtime = quickJs.newRuntime()
  runtime.setMemoryLimit(MEMORY_LIMIT)
  runtime.setMaxStackSize(STACK_LIMIT)
  runtime.setInterruptHandler(isOver)
  return runtime
}

/** An empty machine. `isOver` is polled periodically to see whether its time is up. */
export function startMachine(quickJs: QuickJSWASMModule, isOver: () => boolean): Machine {
  const runtime = startRuntime(quickJs, isOver)
  const vm: QuickJSContext = runtime.newContext()
  const kept: QuickJSHandle[] = []

  function keep(given: QuickJSHandle): QuickJSHandle {
    kept.push(given)
    return given
  }

  function unwrap(
    run: () => ReturnType<QuickJSContext['evalCode']>,
    describe: (message: string) => string,
  ): QuickJSHandle {
    const result = attempt(run)
    if (!result.error) return result.value
    const thrown = describeThrown(result.error)
    result.error.dispose()
    if (isOver()) throw new RpcError('server', 'execution timeout')
    throw new RpcError('server', describe(thrown))
  }

  /** What was thrown, as text. A program may throw what cannot even be read. */
  function describeThrown(thrown: QuickJSHandle): string {
    try {
      return messageOf(vm.dump(thrown))
    } catch (error) {
      if (error instanceof Error) return 'an exception that cannot be read'
      throw error
    }
  }

  function handle(value: HostValue): QuickJSHandle {
    if (value === undefined) return vm.undefined
    if (typeof value === 'boolean') return value ? vm.true : vm.false
    if (typeof value === 'number') return vm.newNumber(value)
    if (typeof value === 'bigint') return vm.newBigInt(value)
    if (typeof value === 'string') return vm.newString(value)
    return vm.newArrayBuffer(value.slice().buffer)
  }

  function argument(given: QuickJSHandle): Uint8Array | string | number {
    const type = vm.typeof(given)
    if (type === 'number') return vm.getNumber(given)
    if (type === 'string') return vm.getString(given)
    return vm.getArrayBuffer(given).consume(({ value }) => value.slice())
  }

  return {
    evaluate: (source, file) =>
      keep(
        unwrap(
          () => vm.evalCode(source, file),
          (message) => message,
        ),
      ),
    call: (name, target, ...args) =>
      unwrap(
        () => vm.callFunction(target, vm.undefined, ...args),
        (message) => `${message}    in server-side tracer function '${name}'`,
      ),
    host(functions) {
      const object = keep(vm.newObject())
      for (const [name, action] of Object.entries(functions))
        vm.newFunction(name, (...args) => handle(action(...args.map(argument)))).consume((made) =>
          vm.setProp(object, name, made),
        )
      return object
    },
    handle,
    property: (target, name) => keep(vm.getProp(target, name)),
    read: (given) => vm.dump(given) as unknown,
    close() {
      for (const each of kept) if (each.alive) each.dispose()
      vm.dispose()
      runtime.dispose()
    },
  }
}
