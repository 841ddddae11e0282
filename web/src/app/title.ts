/** Titles of the window, which tabs, history and bookmarks show: they name the thing, not the kind of page alone. */
import { useEffect, useLayoutEffect } from 'react'
import { grouped } from '../format/number.ts'
import { oneLine, shorten } from '../format/text.ts'
import type { Route } from './routes.ts'

const LONGEST = 60

/** What a path is about, as far as the path says so. */
export function titleOf(route: Route): string {
  switch (route.page) {
    case 'now':
      return 'Now'
    case 'block':
      return `Block ${/^\d{1,15}$/.test(route.id) ? grouped(Number(route.id)) : named(route.id)}`
    case 'transaction':
      return `Transaction ${named(route.hash)}`
    case 'account':
      return `Account ${named(route.address, 8)}`
    case 'token':
      return `Token ${named(route.address, 8)}`
    case 'network':
      return 'Network'
    case 'validator':
      return `Validator ${named(route.operator, 8)}`
    case 'chat':
      return 'Chat'
    case 'jobs':
      return 'Jobs'
    case 'job':
      return `Job ${named(route.id)}`
    default:
      return 'Not found'
  }
}

function named(text: string, start = 10): string {
  return shorten(oneLine(text, 80), start, 6)
}

function write(title: string): void {
  document.title = `${oneLine(title, LONGEST)} · Assay`
}

/** Titles the window by the route. This comes before what pages find (`useTitle`), whichever is drawn first. */
export function useRouteTitle(route: Route): void {
  const title = titleOf(route)
  useLayoutEffect(() => write(title), [title])
}

/** Titles the window with a name that a page has found; undefined leaves the route's. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) write(title)
  }, [title])
}
