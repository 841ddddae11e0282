/** Jobs that were submitted from this browser: their ids and models, never prompts or tokens. */

export type RecentJob = { readonly id: string; readonly model: string; readonly time: number }

const KEY = 'assay.jobs'
const MOST = 50

/** The latest first. */
export function recentJobs(): readonly RecentJob[] {
  try {
    const list: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(list) ? (list as RecentJob[]).slice(0, MOST) : []
  } catch {
    return []
  }
}

/** Puts a job first. */
export function rememberJob(job: RecentJob): void {
  localStorage.setItem(KEY, JSON.stringify([job, ...recentJobs()].slice(0, MOST)))
}
