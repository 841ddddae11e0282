// The rows as a Markdown table.

const OURS = 'assay'
/** The peer that targets are stated against. */
const REFERENCE = 'anvil'

function number(value) {
  if (!Number.isFinite(value)) return '-'
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}

/** Our value over the reference's; NaN when one of them is missing. */
export function ratioOf({ values }) {
  return (values[OURS]?.value ?? Number.NaN) / (values[REFERENCE]?.value ?? Number.NaN)
}

/** 'aim', 'target' or 'miss' by what the ratio reaches; '' without a target or a ratio. */
export function verdictOf(row) {
  const ratio = ratioOf(row)
  if (row.least === undefined || Number.isNaN(ratio)) return ''
  const reaches = (wanted) => (row.isLowerBetter ? ratio <= wanted : ratio >= wanted)
  if (reaches(row.aim)) return 'aim'
  return reaches(row.least) ? 'target' : 'miss'
}

function target(row) {
  if (row.least === undefined) return ['-', '-']
  const sign = row.isLowerBetter ? '<=' : '>='
  return [`${sign} ${row.least}`, `${sign} ${row.aim}`]
}

/** Lines of a Markdown table with its cells padded, to be read as text too. */
export function tableLines([head, ...rows]) {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((cells) => cells[column].length)),
  )
  const line = (cells, fill) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column], fill)).join(' | ')} |`
  const rule = line(
    head.map(() => '---'),
    '-',
  )
  return [line(head, ' '), rule, ...rows.map((cells) => line(cells, ' '))]
}

/** The table, and below it what went wrong. */
export function markdownTable(rows, names) {
  const cpuNames = names.map((name) => `${name}, CPU us`)
  const head = ['row', 'unit', ...names, 'ratio to anvil', ...cpuNames, 'target', 'aim', 'reached']
  const lines = rows.map((row) => [
    row.name,
    row.unit,
    ...names.map((name) => number(row.values[name]?.value)),
    number(ratioOf(row)),
    ...names.map((name) => number(row.values[name]?.cpuMicros)),
    ...target(row),
    verdictOf(row),
  ])
  const notes = rows.flatMap((row) =>
    Object.entries(row.values).flatMap(([name, { note }]) =>
      note === undefined ? [] : [`- ${row.name}, ${name}: ${note}`],
    ),
  )
  return [
    ...tableLines([head, ...lines]),
    ...(notes.length > 0 ? ['', 'Notes:', '', ...notes] : []),
    '',
  ].join('\n')
}
