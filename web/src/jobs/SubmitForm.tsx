/** Submits a job. */
import { useState, type FormEvent } from 'react'
import { navigate } from '../app/navigation.ts'
import { paths } from '../app/routes.ts'
import { fieldOf } from '../format/form.ts'
import { oneLine } from '../format/text.ts'
import { JobApiError, type JobApi } from './api.ts'
import { currentLogin, logIn, useLogin } from './login.ts'
import { rememberJob } from './recent.ts'
import { ProjectFields } from './SignIn.tsx'
import { rememberWarnings } from './warnings.ts'
import type { JobType, Model, Submission } from './types.ts'

const TYPES: readonly { readonly type: JobType; readonly name: string; readonly about: string }[] =
  [
    {
      type: 'opml',
      name: 'Re-executable',
      about: 'An integer-only engine: anyone can re-run it and get the same text.',
    },
    {
      type: 'tee',
      name: 'Attested',
      about: 'A worker that proves with attestation evidence what it ran and where.',
    },
  ]

/** The model that every operator generates. */
const GENERATED = 'tiny.gguf'

function submissionOf(form: FormData, project: string): Submission {
  return {
    from: project,
    user: fieldOf(form, 'user'),
    tag: fieldOf(form, 'review'),
    priority: Number(fieldOf(form, 'priority')),
    job: {
      tag: fieldOf(form, 'type') === 'tee' ? 'tee' : 'opml',
      prompt: fieldOf(form, 'prompt'),
      model: fieldOf(form, 'model'),
      params: {
        temperature: Number(fieldOf(form, 'temperature')),
        top_p: Number(fieldOf(form, 'top_p')),
        max_tokens: Number(fieldOf(form, 'max_tokens')),
      },
    },
  }
}

type Props = { readonly api: JobApi; readonly models: readonly Model[] }

/** The form. The token is asked for here, and is gone when the page is. */
export function SubmitForm({ api, models }: Props) {
  const [type, setType] = useState<JobType>('opml')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const login = useLogin()
  // What is typed stays until the API has taken it.
  const [isAccepted, accept] = useState(login !== undefined)
  const asksForToken = login === undefined || !isAccepted
  const served = models.filter((each) => each.job_type === type).map(({ model }) => model)
  // The generated model comes last: what it says is gibberish.
  const isGenerated = (name: string): number => Number(name === GENERATED)
  const names = [...new Set(served)].toSorted((a, b) => isGenerated(a) - isGenerated(b))

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    if (asksForToken)
      logIn({ project: fieldOf(form, 'project').trim(), token: fieldOf(form, 'token').trim() })
    setBusy(true)
    setProblem('')
    const submission = submissionOf(form, currentLogin()?.project ?? '')
    api.submit(submission).then(
      ({ id, warnings }) => {
        rememberWarnings(id, warnings)
        rememberJob({ id, model: submission.job.model, time: Date.now() })
        navigate(paths.job(id))
      },
      (error: unknown) => {
        if (error instanceof JobApiError && error.status === 401) {
          logIn(undefined)
          accept(false)
        }
        setProblem(error instanceof Error ? error.message : String(error))
        setBusy(false)
      },
    )
  }

  return (
    <form className="card fields submit" onSubmit={submit} aria-labelledby="submit">
      <h2 id="submit" className="wide">
        Submit a job
      </h2>
      <fieldset className="wide choices">
        <legend>How the answer is verified</legend>
        {TYPES.map((each) => (
          <label key={each.type} className="choice">
            <input
              type="radio"
              name="type"
              value={each.type}
              checked={type === each.type}
              onChange={() => setType(each.type)}
            />
            <span>
              <strong>{each.name}</strong> <code>{each.type}</code>
              <span className="soft">{each.about}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <label className="wide">
        Prompt
        <textarea name="prompt" rows={5} required dir="auto" />
      </label>
      <label>
        Model
        {names.length > 0 ? (
          <select name="model" required>
            {names.map((name) => (
              <option key={name} value={name}>
                {oneLine(name, 80)}
              </option>
            ))}
          </select>
        ) : (
          <input name="model" required placeholder={GENERATED} />
        )}
      </label>
      <label>
        Max tokens
        <input name="max_tokens" type="number" min={1} max={100_000} defaultValue={64} required />
      </label>
      <label>
        Temperature
        <input
          name="temperature"
          type="number"
          min={0}
          max={100}
          step={0.1}
          defaultValue={0}
          required
        />
      </label>
      <label>
        Top p
        <input name="top_p" type="number" min={0} max={1} step={0.05} defaultValue={1} required />
      </label>
      {asksForToken && <ProjectFields />}
      <details className="wide">
        <summary>More</summary>
        <div className="fields">
          <label>
            User to verify
            <input name="user" autoComplete="off" maxLength={1024} />
          </label>
          <label>
            Review
            <select name="review">
              <option value="">none</option>
              <option value="suspicion">suspicion</option>
              <option value="malicious">malicious</option>
            </select>
          </label>
          <label>
            Priority
            <input name="priority" type="number" min={-100} max={100} defaultValue={0} />
          </label>
        </div>
      </details>
      <div className="wide actions">
        <button type="submit" className="button" disabled={isBusy}>
          {isBusy ? 'Submitting…' : 'Submit'}
        </button>
        <output className="problem" aria-live="polite">
          {oneLine(problem, 300)}
        </output>
      </div>
    </form>
  )
}
