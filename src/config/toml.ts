/** The commented configuration file that a new home gets. */
import { environmentName, type KeyTable } from './key.ts'

function comment(text: string): string[] {
  const lines: string[] = []
  let line = '#'
  for (const word of text.split(' ')) {
    if (line.length + word.length > 110) {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return [...lines, line]
}

/**
 * TOML text with every key of the tables, its help and its default, commented out: an upgrade may then change a default
 * without touching the file. `set` contains the values that are written uncommented.
 */
export function configTemplate(
  tables: readonly KeyTable[],
  set: Readonly<Record<string, string | number | boolean | readonly string[]>> = {},
): string {
  const lines = [
    '# Assay configuration. A commented-out line shows the default; remove the # to change it.',
    `# Environment variables (${environmentName('json-rpc.address')}) and flags (--json-rpc.address) override this file.`,
  ]
  let section = ''
  const keys = tables.flatMap((table) => Object.entries(table))
  // TOML has keys without a section only before the first section.
  const topFirst = [
    ...keys.filter(([name]) => !name.includes('.')),
    ...keys.filter(([name]) => name.includes('.')),
  ]
  for (const [name, key] of topFirst) {
    const dot = name.indexOf('.')
    const ownSection = dot < 0 ? '' : name.slice(0, dot)
    if (ownSection !== section) {
      lines.push('', `[${ownSection}]`)
      section = ownSection
    }
    const value = set[name]
    const assignment = `${name.slice(dot + 1)} = ${JSON.stringify(value ?? key.default)}`
    lines.push(
      '',
      ...comment(`${key.help} Expects ${key.type.expects}.`),
      value === undefined ? `# ${assignment}` : assignment,
    )
  }
  return `${lines.join('\n')}\n`
}
