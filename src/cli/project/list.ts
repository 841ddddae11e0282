/** `assay project list`: all projects with their limits and today's use. */
import type { Command } from 'commander'
import { databaseCommand } from './database.ts'
import { columns } from './columns.ts'

/** The command. */
export function projectListCommand(): Command {
  return databaseCommand('list', async (sql) => {
    const { listProjects } = await import('../../jobs/dispatcher/access/projects.ts')
    const limit = (value: number | null): string => (value === null ? 'default' : String(value))
    const rows = (await listProjects(sql)).map((project) => [
      project.id,
      limit(project.jobsPerMinute),
      limit(project.tokenJobsPerMinute),
      limit(project.jobsPerDay),
      limit(project.tokensPerMinute),
      String(project.jobsToday),
      project.name,
    ])
    process.stdout.write(
      columns(['id', '/minute', '/token', '/day', 'tokens', 'today', 'name'], rows),
    )
  }).description(
    "List all projects with their limits, and today's jobs of those with a daily limit.",
  )
}
