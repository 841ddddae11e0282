/** The references under docs/, generated from the tables in the code. scripts/docs.mjs writes and checks them. */
import { architecturesPage } from './architectures.ts'
import { configPage } from './config.ts'
import { errorsPage } from './errors.ts'
import { eventsPage } from './events.ts'
import { lifecyclePage } from './lifecycle.ts'
import { methodsPage } from './methods.ts'
import { metricsPage } from './metrics.ts'

/** Documents by file name. */
export function renderDocs(): Readonly<Record<string, string>> {
  return {
    'methods.md': methodsPage(),
    'events.md': eventsPage(),
    'errors.md': errorsPage(),
    'config.md': configPage(),
    'metrics.md': metricsPage(),
    'job-lifecycle.md': lifecyclePage(),
    'architectures.md': architecturesPage(),
  }
}
