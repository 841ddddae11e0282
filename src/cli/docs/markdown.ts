/** Pages of Markdown that are made from tables. */
const MADE = '<!-- Made by npm run docs from the code. Do not edit. -->'

/** The lines of a table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

/** A page under a title; an array is a block of lines. */
export function page(title: string, ...parts: readonly (string | readonly string[])[]): string {
  return `${[MADE, '', `# ${title}`, ...parts.flatMap((part) => ['', ...(typeof part === 'string' ? [part] : part)])].join('\n')}\n`
}
