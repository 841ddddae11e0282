/** What completions of /v1 ask for, job by job. */
import { sql } from 'kysely'

/**
 * - projects.tokens_per_minute: its own limit; null means the dispatcher's default (D141).
 * - jobs.agree_k, jobs.agree_n: how many operators of how many must agree on this job; null means as its project requires (D141).
 */
export const completions = sql`
  alter table projects add column tokens_per_minute integer check (tokens_per_minute >= 0);
  alter table jobs add column agree_k smallint check (agree_k >= 1),
    add column agree_n smallint check (agree_n between agree_k and 256),
    add check ((agree_k is null) = (agree_n is null));
`
