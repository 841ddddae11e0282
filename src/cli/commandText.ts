/** Commands as whoever reads them can type them. */
import path from 'node:path'
import { defaultHome } from '../base/defaultHome.ts'

/** `words` after the program's name, as it was started here, for a home. */
export function commandText(words: string, home: string): string {
  const [, script = ''] = process.argv
  const isInstalled = path.extname(script) === ''
  const program = isInstalled ? 'assay' : `node ${path.relative(process.cwd(), script)}`
  const isDefault = home === (process.env['ASSAY_HOME'] ?? defaultHome())
  return `${program} ${words}${isDefault ? '' : ` --home ${home}`}`
}
