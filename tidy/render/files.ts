/** Every file, or part of one, that is made from the table of rooms. */
import type { Checkout } from '../checkout.ts'
import { architecture, ARCHITECTURE_FILE } from './architecture.ts'
import { drawing, DRAWING_FILE } from './drawing.ts'
import { LINT_RULES_FILE, lintRules } from './lintRules.ts'

/** What the files should hold, by their paths. */
export function madeFiles(checkout: Checkout): ReadonlyMap<string, string> {
  return new Map([
    [LINT_RULES_FILE, lintRules()],
    [ARCHITECTURE_FILE, architecture(checkout.read(ARCHITECTURE_FILE))],
    [DRAWING_FILE, drawing()],
  ])
}
