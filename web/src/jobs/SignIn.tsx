/** Asks for a project and its token, and shows for which project the page acts. */
import type { FormEvent } from 'react'
import { fieldOf } from '../format/form.ts'
import { oneLine } from '../format/text.ts'
import { logIn, useLogin } from './login.ts'

/** The fields of a project and its token, in a form of somebody else. */
export function ProjectFields() {
  return (
    <>
      <label>
        Project
        <input
          name="project"
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="project-…"
        />
      </label>
      <label>
        API token
        <input name="token" type="password" required autoComplete="off" />
      </label>
    </>
  )
}

/** The form. */
export function SignIn({ why }: { readonly why: string }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    logIn({ project: fieldOf(form, 'project').trim(), token: fieldOf(form, 'token').trim() })
  }
  return (
    <form className="card fields" onSubmit={submit} aria-label="Project">
      <p className="wide soft">{why} The link that assay up prints brings both.</p>
      <ProjectFields />
      <div className="wide actions">
        <button type="submit" className="button">
          Use this project
        </button>
      </div>
    </form>
  )
}

/** For which project the page acts, and a way out. Nothing without one. */
export function ProjectBar() {
  const login = useLogin()
  if (login === undefined) return null
  return (
    <p className="project-bar soft">
      Project <bdi className="hash">{oneLine(login.project, 60)}</bdi>{' '}
      <button type="button" className="plain" onClick={() => logIn(undefined)}>
        Forget the token
      </button>
    </p>
  )
}
