import { afterEach, expect, test, vi } from 'vitest'
import { currentLogin, logIn, readLogin, takeLogin } from './login.ts'

afterEach(() => {
  logIn(undefined)
  vi.unstubAllGlobals()
})

/** A window at an address; what is left of the address. */
function at(address: string): { readonly left: () => string } {
  const url = new URL(address, 'http://explorer.test')
  const { pathname, search, hash } = url
  vi.stubGlobal('location', { pathname, search, hash })
  let left = `${pathname}${search}${hash}`
  vi.stubGlobal('history', {
    state: null,
    replaceState: (_state: unknown, _title: string, target: string) => {
      left = target
    },
  })
  return { left: () => left }
}

// Holds D168.
test('a token in a link is kept in memory, and leaves the address at once', () => {
  const { left } = at('/jobs?tab=all-jobs#project=project-1a2b&token=assay_0f')
  takeLogin()
  expect(currentLogin()).toEqual({ project: 'project-1a2b', token: 'assay_0f' })
  expect(left()).toBe('/jobs?tab=all-jobs')
})

test('a token that cannot be one leaves the address too, and logs nobody in', () => {
  for (const fragment of [
    '#token=assay_0f',
    '#project=p&token=',
    `#project=p&token=${'x'.repeat(201)}`,
    '#project=%3Cb%3E&token=a%0Ab',
  ]) {
    const { left } = at(`/jobs${fragment}`)
    takeLogin()
    expect(currentLogin()).toBeUndefined()
    expect(left()).toBe('/jobs')
  }
})

test('other fragments stay, and keep the login', () => {
  logIn({ project: 'p', token: 't' })
  const { left } = at('/jobs#content')
  takeLogin()
  expect(left()).toBe('/jobs#content')
  expect(currentLogin()?.project).toBe('p')
  expect(readLogin('')).toBeUndefined()
})
