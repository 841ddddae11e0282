/** Changes to a configuration file that leave everything else in it unchanged, including comments (D48). */
import { readFileSync, statSync } from 'node:fs'
import { writeFileAtomic } from '../base/files.ts'

/**
 * `text` with a key of the file's top level set to a string: in its own line, in the commented one, or in a new one.
 */
export function setTopLevelText(text: string, name: string, value: string): string {
  const lines = text.split('\n')
  const firstSection = lines.findIndex((line) => /^\s*\[/.test(line))
  const end = firstSection < 0 ? lines.length : firstSection
  const assignment = `${name} = ${JSON.stringify(value)}`
  const find = (pattern: RegExp): number =>
    lines.findIndex((line, index) => index < end && pattern.test(line))
  const key = name.replaceAll(/[^\w-]/g, '\\$&')
  const active = find(new RegExp(`^\\s*"?${key}"?\\s*=`))
  if (active >= 0) {
    const comment = /=\s*(?:"[^"]*"|'[^']*'|[^#]*?)(\s*#.*)?$/.exec(lines[active] ?? '')?.[1]
    lines[active] = assignment + (comment ?? '')
    return lines.join('\n')
  }
  const commented = find(new RegExp(`^\\s*#\\s*${key}\\s*=`))
  if (commented >= 0) lines[commented] = assignment
  else lines.splice(end, 0, assignment, '')
  return lines.join('\n')
}

/**
 * Sets a top-level string of a configuration file; the file is replaced as a whole and keeps its mode. Throws on I/O
 * errors.
 */
export function writeTopLevelText(file: string, name: string, value: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileAtomic(file, setTopLevelText(text, name, value), statSync(file).mode & 0o777)
}
