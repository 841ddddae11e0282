/** The page docs/reliability.md, from the figures of the campaigns (test/torture/record.ts). */

const seconds = (value) => `${value.toFixed(1)} s`

/** Half of the recoveries were faster than the first number, all than the second. */
function recoveryOf(recovery) {
  if (recovery.length === 0) return '–'
  const sorted = [...recovery].sort((a, b) => a - b)
  return `${seconds(sorted[Math.floor(sorted.length / 2)])} / ${seconds(sorted.at(-1))}`
}

/** A figure that the campaign does not count has none. */
const rowOf = ({ fault, runs, lost = '–', forged = '–', doubleSigned = '–', recovery }) =>
  `| ${fault} | ${runs} | ${lost} | ${forged} | ${doubleSigned} | ${recoveryOf(recovery)} |`

/** `failed` are the campaigns that did not end as they should. */
export function renderReport(figures, { seed, scale, failed, cores }) {
  const share = scale === 1 ? '' : `, here with \`--scale ${scale}\`, that share of all runs`
  const verdict =
    failed.length === 0
      ? 'Every campaign ended as it should.'
      : `These campaigns did not end as they should: ${failed.join(', ')}.`
  return `# Reliability

What was done to the system on purpose, and what became of it: what had been shown or acknowledged and was lost, what was
served or signed without ever having been decided, and heights that a validator signed twice. All three are to be 0; a dash stands
where a campaign does not count them.

\`npm run reliability -- --seed ${seed}\` makes this page${share}; the campaigns are in \`test/torture\`, and run in short form with
\`npm run test:long\`. ${verdict} Times are from ${cores} cores that other work shared.

| fault | runs | lost | forged | double-signed | time to recover (median / maximum) |
| --- | --- | --- | --- | --- | --- |
${figures.map(rowOf).join('\n')}

Notes:

${figures.map(({ fault, note }) => `- ${fault}: ${note}.`).join('\n')}
`
}
