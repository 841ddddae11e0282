/** How far operators have counted. */
import { sql } from 'kysely'

/**
 * operators.events: the greatest count that the operator itself has given of its events (D73). Operators of former
 * releases return counts of each other, which are held against these. Rows from before have what operators signed;
 * counts that were too large to be true are left out.
 */
export const clocks = sql`
  alter table operators add column events bigint not null default 0 check (events >= 0);
  update operators set events = signed.events from (
    select operator, max((clock->>operator)::numeric)::bigint as events from results
    where (clock->>operator)::numeric <= 9007199254740991 group by operator
  ) signed where signed.operator = operators.address;
`
