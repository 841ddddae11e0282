// Prints the figures of the house: npm run figures
import path from 'node:path'
import { runnerImport } from 'vite'

const { module: checkouts } = await runnerImport('./tidy/checkout.ts')
const { module: modules } = await runnerImport('./tidy/modules.ts')
const { module: figures } = await runnerImport('./tidy/figures.ts')
const checkout = checkouts.thisCheckout(path.resolve(import.meta.dirname, '..'))
console.table(
  Object.entries(figures.figuresOf(checkout, modules.modulesOf(checkout))).map(([name, value]) => ({
    figure: name,
    value: typeof value === 'object' ? `${value.lines} (${value.file})` : value,
  })),
)
