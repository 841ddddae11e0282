/** docs/job-lifecycle.md: the states of jobs and assignments, and every transition. */
import { JOB_LIFECYCLE } from '../../jobs/dispatcher/lifecycle.ts'
import { ASSIGNMENT_LIFECYCLE } from '../../jobs/dispatcher/lifecycle/assignments.ts'
import { ABSENT, type AnyLifecycle } from '../../jobs/dispatcher/lifecycle/machine.ts'
import { page, table } from './markdown.ts'

const INTRODUCTION = `Every job and every assignment of a job to an operator is a row in the dispatcher's database with a column \`state\`. This page lists
all states and all transitions between them. Triggers in the database refuse every other insertion, removal or change of a state
(SQLSTATE 23514), whichever program tries it. In the drawings and tables, \`${ABSENT}\` is a row that does not exist.`

const JOBS = `\`POST /api/job/detail\` shows the state and, where a job ended without an answer, the reason.`

const ASSIGNMENTS = `A job has one assignment per operator and round. A job that ends closes those that are pending.`

const MAINTENANCE = `Schema migration \`0009-lifecycle\` adds the triggers, to existing databases too. It waits for transactions that work on jobs, and blocks
others for a moment; dispatchers of the former version can stay up. A data-only restore (\`pg_restore --data-only\`) needs
\`--disable-triggers\`, since it inserts jobs in every state.`

/** One arrow per pair of states, with all causes. */
function drawing({ transitions }: AnyLifecycle): readonly string[] {
  const causes = new Map<string, Set<string>>()
  for (const { from, to, cause } of transitions)
    for (const state of from) {
      const arrow = `${state} --> ${to}`
      causes.set(arrow, (causes.get(arrow) ?? new Set()).add(cause))
    }
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...[...causes].map(([arrow, names]) => `  ${arrow}: ${[...names].join(', ')}`),
    '```',
  ]
}

const code = (text: string): string => `\`${text}\``

function sections(lifecycle: AnyLifecycle): (readonly string[])[] {
  return [
    drawing(lifecycle),
    table(
      ['state', 'phase', 'meaning', 'how it is left'],
      Object.entries(lifecycle.states).map(([state, { phase, means, left }]) => [
        code(state),
        phase,
        means,
        left,
      ]),
    ),
    table(
      ['from', 'to', 'cause', 'when', 'what the database requires as well'],
      lifecycle.transitions.map(({ from, to, cause, guard, requires }) => [
        from.map(code).join(', '),
        code(to),
        cause,
        guard,
        requires === undefined ? '' : code(requires),
      ]),
    ),
    table(
      ['cause', 'what happens', 'code in `src/jobs/dispatcher/`'],
      Object.entries(lifecycle.causes).map(
        ([
          cause,
          {
            what,
            code: [file, name],
          },
        ]) => [cause, what, `${code(file)}: ${code(name)}`],
      ),
    ),
  ]
}

/** The page. */
export function lifecyclePage(): string {
  return page(
    'The life of a job',
    INTRODUCTION,
    '## Jobs',
    JOBS,
    ...sections(JOB_LIFECYCLE),
    '## Assignments',
    ASSIGNMENTS,
    ...sections(ASSIGNMENT_LIFECYCLE),
    '## The triggers',
    MAINTENANCE,
  )
}
