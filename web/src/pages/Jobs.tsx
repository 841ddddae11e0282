/** The job console: submit, and see who could answer. */
import { Link } from '../app/Link.tsx'
import { paths } from '../app/routes.ts'
import { grouped } from '../format/number.ts'
import { oneLine, shorten } from '../format/text.ts'
import { useJobApi } from '../jobs/context.ts'
import type { JobApi } from '../jobs/api.ts'
import { JobList } from '../jobs/JobList.tsx'
import { recentJobs } from '../jobs/recent.ts'
import { ProjectBar } from '../jobs/SignIn.tsx'
import { SubmitForm } from '../jobs/SubmitForm.tsx'
import type { Model, Operator } from '../jobs/types.ts'
import { useAnswer } from '../net/useAnswer.ts'
import { Answered } from '../parts/Answered.tsx'
import { Badge } from '../parts/Badge.tsx'
import { AddressLink } from '../parts/Names.tsx'
import { Tabs } from '../parts/Tabs.tsx'
import { Ago } from '../parts/Time.tsx'
import { BundleFile } from '../jobs/BundleFile.tsx'
import { OddsBar } from '../jobs/OddsBar.tsx'

const EVERY_MS = 2000

function Recent() {
  const jobs = recentJobs()
  if (jobs.length === 0) return null
  return (
    <section className="card" aria-labelledby="recent">
      <h2 id="recent">Jobs submitted in this browser</h2>
      <ul className="plain-list">
        {jobs.slice(0, 8).map(({ id, model, time }) => (
          <li key={id}>
            <Link to={paths.job(id)} className="hash">
              {shorten(id)}
            </Link>{' '}
            <span className="soft">
              <bdi>{oneLine(model, 40)}</bdi> · <Ago seconds={Math.floor(time / 1000)} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Models({ models }: { readonly models: readonly Model[] }) {
  return (
    <section className="card" aria-labelledby="models">
      <h2 id="models">Models</h2>
      {models.length === 0 && <p className="empty">No models are being served.</p>}
      <ul className="plain-list">
        {models.map(({ model, job_type: type, operators, slots, pinned, identities = [] }) => (
          <li key={`${type}-${model}`}>
            <bdi>{oneLine(model, 60)}</bdi>{' '}
            <Badge tone={type === 'tee' ? 'copper' : 'good'}>{type}</Badge>{' '}
            {pinned === true && <Badge tone="plain">registered</Badge>}{' '}
            <span className="soft">
              {operators === 1 ? '1 operator' : `${grouped(operators)} operators`}, {grouped(slots)}{' '}
              at a time{identities.length > 1 && `, ${identities.length} different files`}
            </span>
            {identities.slice(0, 4).map(({ sha256 }) => (
              <span key={sha256} className="soft hash" title={oneLine(sha256, 80)}>
                {' '}
                {shorten(oneLine(sha256, 80))}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Operators({ operators }: { readonly operators: readonly Operator[] }) {
  return (
    <section className="card" aria-labelledby="operators">
      <h2 id="operators">Operators</h2>
      {operators.length === 0 && <p className="empty">No operators are connected.</p>}
      <ul className="plain-list operators">
        {operators.map(({ operator, workers, slots, busy, range, refused = [] }) => (
          <li key={operator}>
            <p>
              <AddressLink address={operator} />{' '}
              {workers.map((worker) => (
                <Badge key={worker} tone={worker === 'tee' ? 'copper' : 'good'}>
                  {oneLine(worker, 20)}
                </Badge>
              ))}{' '}
              <span className="soft">
                {grouped(busy)} of {grouped(slots)} busy
              </span>
            </p>
            {refused.slice(0, 4).map(({ model, reason }) => (
              <p key={model} className="problem">
                <bdi>{oneLine(reason, 300)}</bdi>
              </p>
            ))}
            <OddsBar range={range} draws={[]} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Console({ api }: { readonly api: JobApi }) {
  const models = useAnswer(api.models, [], EVERY_MS)
  const operators = useAnswer(api.operators, [], EVERY_MS)
  return (
    <div className="console">
      <div className="stack">
        <SubmitForm api={api} models={models.state === 'here' ? models.value : []} />
        <BundleFile />
      </div>
      <div className="stack">
        <Recent />
        <Answered answer={models}>{(value) => <Models models={value} />}</Answered>
        <Answered answer={operators}>{(value) => <Operators operators={value} />}</Answered>
      </div>
    </div>
  )
}

/** The page of jobs. */
export function Jobs() {
  const api = useJobApi()
  return (
    <>
      <div className="title">
        <h1>Jobs</h1>
        <p className="soft">Ask a model and get a verifiable answer.</p>
      </div>
      {api === undefined ? (
        <p className="card empty">This node has no dispatcher configured (explorer.dispatcher).</p>
      ) : (
        <>
          <ProjectBar />
          <Tabs
            label="Sections of jobs"
            tabs={[
              { name: 'New job', render: () => <Console api={api} /> },
              { name: 'All jobs', render: () => <JobList api={api} /> },
            ]}
          />
        </>
      )}
    </>
  )
}
