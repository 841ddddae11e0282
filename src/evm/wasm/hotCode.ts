/** Keeps the compiled forms of hot code: functions in the core's table, which calls them by number (core/compiled.as.ts). */
import { compileWasmBytes, instantiateWasm } from '../../base/wasm.ts'
import { compileCode } from '../compiler/compile.ts'
import type { Core } from './core.ts'
import type { WasmMemory } from './memory.ts'

/** Most compiled forms at a time: the oldest one gives its place to the next. */
const FORMS = 32
/** How often a code is compiled anew because it is hot somewhere else as well. */
const MOST_ROOTS = 4
/** No gas pays for compiling, so a message with many hot codes gets no more of it. */
const MOST_PER_MESSAGE = 4

type Form = {
  readonly codeAddress: number
  readonly blocksAddress: number
  readonly roots: number[]
}

export type HotCode = {
  /** The answer to the core's question for a compiled form: its number in the table, or 0 (core/host.as.ts). */
  compile(code: number, length: number, offset: number, known: number): number
  /** Another message begins. */
  begin(): void
}

/** No compiled forms yet, for an instance of the core. */
export function createHotCode(core: Core, memory: WasmMemory): HotCode {
  const forms = new Map<number, Form>()
  const first = core.table.grow(FORMS)
  let next = 0
  let left = 0

  /** With the place where the numbers of superblocks stand; undefined when there is no room left. */
  function newForm(codeAddress: number, length: number): Form | undefined {
    const blocksAddress = core.reserveWithCodes(length * 2)
    return blocksAddress === 0 ? undefined : { codeAddress, blocksAddress, roots: [] }
  }

  function place(number: number, form: Form, length: number): void {
    const { codeAddress, blocksAddress, roots } = form
    const { module, offsets } = compileCode({
      code: memory.slice(codeAddress, length),
      codeAddress,
      blocksAddress,
      roots,
      staticGas: core.staticGas,
    })
    const { run } = instantiateWasm(compileWasmBytes(module), { core }) as { run: unknown }
    const view = memory.view()
    memory.bytes().fill(0, blocksAddress, blocksAddress + length * 2)
    for (const [index, offset] of offsets.entries())
      view.setUint16(blocksAddress + offset * 2, index + 1, true)
    core.table.set(number, run)
  }

  return {
    begin() {
      left = MOST_PER_MESSAGE
    },
    compile(at, length, offset, known) {
      if (left === 0) return known
      // Another code may have taken the place since.
      const old = forms.get(known)
      const isOld = old !== undefined && old.codeAddress === at
      const number = isOld ? known : first + (next++ % FORMS)
      const form = isOld ? old : newForm(at, length)
      if (form === undefined) return 0
      const isCompiled = memory.view().getUint16(form.blocksAddress + offset * 2, true) !== 0
      if (isCompiled || form.roots.length === MOST_ROOTS) return number
      left--
      form.roots.push(offset)
      forms.set(number, form)
      place(number, form, length)
      return number
    },
  }
}
