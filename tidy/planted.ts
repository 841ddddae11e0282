/** Plants a violation in a copy of the checkout and says what the rules find that they did not find before. */
import { thisCheckout, withFiles, type Checkout } from './checkout.ts'
import { describeFault, type Fault } from './fault.ts'
import { moduleOf, modulesOf, type Module } from './modules.ts'

export type Rule = (modules: ReadonlyMap<string, Module>, checkout: Checkout) => readonly Fault[]

const checkout = thisCheckout()
const clean = modulesOf(checkout)

const ofRules = new WeakMap<Rule, ReadonlySet<string>>()

/** What a rule finds without anything planted. */
function before(rule: Rule): ReadonlySet<string> {
  const known = ofRules.get(rule) ?? new Set(rule(clean, checkout).map(describeFault))
  ofRules.set(rule, known)
  return known
}

/** What a rule says of files with these texts, in this checkout otherwise. Faults that stand without them are left out. */
export function planted(rule: Rule, texts: Readonly<Record<string, string>>): readonly string[] {
  const known = before(rule)
  const changed = withFiles(checkout, texts)
  const modules = new Map(clean)
  for (const file of Object.keys(texts)) modules.set(file, moduleOf(changed, file))
  return rule(modules, changed)
    .map(describeFault)
    .filter((fault) => !known.has(fault))
}
