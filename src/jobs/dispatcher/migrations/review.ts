/** Users who are watched more closely, and how many operators must agree. */
import { sql } from 'kysely'

/**
 * - watched_users: their next jobs count as tagged; how many more do (D31).
 * - jobs.required_round: answers of earlier rounds do not complete the job; above 0 while and after it is verified
 *   again.
 * - projects.agree_k, agree_n: how many of how many operators must give the same answer; null: everyone connected is
 *   asked,
 *   and any answer will do.
 */
export const review = sql`
  create table watched_users (
    project text not null references projects,
    user_id bytea not null,
    tag text not null check (tag in ('suspicion', 'malicious')),
    remaining integer not null,
    primary key (project, user_id)
  );
  alter table jobs add column required_round integer not null default 0;
  alter table projects add column agree_k integer, add column agree_n integer,
    add check ((agree_k is null) = (agree_n is null)), add check (1 <= agree_k and agree_k <= agree_n);
`
