/** The jobs of a project: filters and page are in the address, the first page is live. */
import type { FormEvent } from 'react'
import { Link } from '../app/Link.tsx'
import { navigate, useQuery, withParameters } from '../app/navigation.ts'
import { paths } from '../app/routes.ts'
import { fieldOf } from '../format/form.ts'
import { oneLine, shorten } from '../format/text.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { Scrolled } from '../parts/Scrolled.tsx'
import { Ago } from '../parts/Time.tsx'
import { Untrusted } from '../parts/Untrusted.tsx'
import type { JobApi } from './api.ts'
import { useLogin } from './login.ts'
import { SignIn } from './SignIn.tsx'
import { STATES, toneOf } from './states.ts'
import type { JobFilter, ListedJob } from './types.ts'

const EVERY_MS = 2000
/** Bounds of the API. */
const LONGEST_MODEL = 512
const LONGEST_USER = 600

/** A time of the API, "YYYY-MM-DD HH:MM:SS" in UTC, in seconds since 1970. */
function secondsOf(time: string): number {
  return Math.floor(Date.parse(`${time.replace(' ', 'T')}Z`) / 1000)
}

function Filters({ filter }: { readonly filter: JobFilter }) {
  const apply = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    navigate(
      withParameters({
        state: fieldOf(form, 'state'),
        model: fieldOf(form, 'model').trim(),
        user: fieldOf(form, 'user'),
        before: undefined,
      }),
    )
  }
  return (
    // What is typed belongs to the filter of the address: back brings the former one.
    <form
      className="filters"
      key={JSON.stringify(filter)}
      onSubmit={apply}
      aria-label="Filter jobs"
    >
      <label>
        State
        <select
          name="state"
          defaultValue={filter.state ?? ''}
          onChange={(event) => event.currentTarget.form?.requestSubmit()}
        >
          <option value="">all</option>
          {STATES.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      </label>
      <label>
        Model
        <input
          name="model"
          defaultValue={filter.model}
          maxLength={LONGEST_MODEL}
          placeholder="name or name@hash"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label>
        User
        <input name="user" defaultValue={filter.user} maxLength={LONGEST_USER} autoComplete="off" />
      </label>
      <button type="submit" className="plain">
        Filter
      </button>
    </form>
  )
}

function Row({ job }: { readonly job: ListedJob }) {
  return (
    <tr>
      <td>
        <Link to={paths.job(job.job_id)} className="hash" title={job.job_id}>
          {shorten(job.job_id)}
        </Link>
      </td>
      <td>
        <Badge tone={toneOf(job.state)}>{oneLine(job.state, 20)}</Badge>
      </td>
      <td>
        <Untrusted text={job.model} limit={40} /> <span className="soft">{job.job_type}</span>
        {job.reason !== '' && (
          <span className="under problem">
            <Untrusted text={job.reason} limit={120} />
          </span>
        )}
      </td>
      <td>{job.user !== '' && <Untrusted text={job.user} limit={30} />}</td>
      <td className="soft">
        <Ago seconds={secondsOf(job.created_at)} />
      </td>
    </tr>
  )
}

function Listed({ api, project }: { readonly api: JobApi; readonly project: string }) {
  const { state, model, user, before } = useQuery()
  const filter = { state, model, user }
  const answer = useAnswer(
    () => api.list({ ...filter, before }),
    [project, state, model, user, before],
    before === undefined ? EVERY_MS : undefined,
  )
  return (
    <section className="card" aria-labelledby="all-jobs">
      <h2 id="all-jobs">Jobs of the project</h2>
      <Filters filter={filter} />
      <Answered answer={answer}>
        {({ jobs, next }) => (
          <>
            {jobs.length === 0 && <p className="empty">No such jobs.</p>}
            {jobs.length > 0 && (
              <Scrolled label="Jobs">
                <table className="rows cards">
                  <thead>
                    <tr>
                      <th scope="col">Job</th>
                      <th scope="col">State</th>
                      <th scope="col">Model</th>
                      <th scope="col">User</th>
                      <th scope="col">Submitted</th>
                    </tr>
                  </thead>
                  <tbody>
                    {jobs.map((job) => (
                      <Row key={job.job_id} job={job} />
                    ))}
                  </tbody>
                </table>
              </Scrolled>
            )}
            <nav className="pages" aria-label="Pages of jobs">
              {before !== undefined && (
                <Link to={withParameters({ before: undefined })}>« Latest</Link>
              )}
              {next !== undefined && <Link to={withParameters({ before: next })}>Older ›</Link>}
            </nav>
          </>
        )}
      </Answered>
    </section>
  )
}

/** The list, once the page acts for a project. */
export function JobList({ api }: { readonly api: JobApi }) {
  const login = useLogin()
  return login === undefined ? (
    <SignIn why="The list of jobs belongs to a project, whose token it needs." />
  ) : (
    <Listed api={api} project={login.project} />
  )
}
