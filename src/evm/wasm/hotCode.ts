/** Keeps the compiled forms of hot code (D38b): functions in the core's table, which calls them by number (core/compiled.as.ts). */
import { compileWasmBytes, instantiateWasm } from '../../base/wasm.ts'
import { compileCode } from '../compiler/compile.ts'
import type { Core } from './core.ts'
import type { WasmMemory } from './memory.ts'

/** Maximum number of compiled forms: the oldest one is evicted for the next. */
const FORMS = 32
/** How often a code may be recompiled because another part of it is hot, too. */
const MOST_ROOTS = 4
/** Gas does not pay for compilation, so this bounds it for a message with many hot codes. */
const MOST_PER_MESSAGE = 4

type Form = {
  readonly codeAddress: number
  readonly blocksAddress: number
  readonly roots: number[]
}

export type HotCode = {
  /** Returns a compiled form to the core: its number in the table, or 0 (core/host.as.ts). */
  compile(code: number, length: number, offset: number, known: number): number
  /** Another message begins. */
  begin(): void
}

/** An empty set of compiled forms for an instance of the core. */
export function createHotCode(core: Core, memory: WasmMemory): HotCode {
  const forms = new Map<number, Form>()
  const first = core.table.grow(FORMS)
  let next = 0
  let left = 0

  /** A new form with the table of superblock numbers; undefined if there is no room left. */
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
      // Another code may have taken the slot since.
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
