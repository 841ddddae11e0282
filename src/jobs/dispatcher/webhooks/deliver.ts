/** Notifies projects of finished jobs: at least once each, in any order, with a signature over time and body. */
import { createHmac, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { messageOf } from '../../../base/errors.ts'
import type { DispatcherSql } from '../tables.ts'
import type { Vault } from '../vault/vault.ts'
import { checkWebhookUrl, postWebhook, type PostSettings } from './post.ts'

const AT_ONCE = 16
const TIMEOUT_MS = 5000
/** No other replica takes a delivery that is in progress. */
const LEASE_SECONDS = 30
/** With back-offs of 5, 10, 20 seconds and so on up to an hour: about five hours. */
const MAX_ATTEMPTS = 14

const SECRET_PLACE = 'project/webhook'

type Delivery = {
  id: string
  project: string
  job_id: string
  state: string
  reason: string
  finished: string
  attempts: number
  url: string | null
  secret: Buffer | null
}

export type WebhookSettings = Pick<PostSettings, 'trusted' | 'resolve'>

/**
 * Sets a project's webhook; undefined removes it. Returns the secret that requests will be signed with; it is shown
 * only once. Throws WebhookError.
 */
export async function setWebhook(
  { db }: DispatcherSql,
  vault: Vault,
  project: string,
  url: string | undefined,
  { trusted }: WebhookSettings,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const target = url === undefined ? null : checkWebhookUrl(url, trusted).href
  await db
    .updateTable('projects')
    .set({
      webhook_url: target,
      webhook_secret:
        target === null ? null : await vault.seal(project, SECRET_PLACE, Buffer.from(secret)),
    })
    .where('id', '=', project)
    .execute()
  return secret
}

/** The value of `assay-signature`: the time, and HMAC-SHA256 over "<time>.<body>" under the project's secret. */
export function webhookSignature(secret: string, seconds: number, body: string): string {
  const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${mac}`
}

/** Sends what is due. Resolves with the numbers of successful and failed deliveries. */
export async function deliverWebhooks(
  store: DispatcherSql,
  vault: Vault,
  settings: WebhookSettings,
): Promise<{ readonly delivered: number; readonly failed: number }> {
  const due = await claim(store)
  const errors = await Promise.all(
    due.map(async (delivery) => {
      const error = await deliver(vault, delivery, settings)
      await settle(store, delivery, error)
      return error
    }),
  )
  const delivered = errors.filter((error) => error === undefined).length
  return { delivered, failed: errors.length - delivered }
}

async function claim({ db }: DispatcherSql): Promise<readonly Delivery[]> {
  const { rows } = await sql<Delivery>`
    update webhook_deliveries d set attempts = d.attempts + 1,
      run_at = now() + ${LEASE_SECONDS} * interval '1 second'
    from projects p
    where p.id = d.project and d.id in (
      select id from webhook_deliveries where outcome = 'waiting' and run_at <= now()
      order by run_at limit ${AT_ONCE} for update skip locked)
    returning d.id, d.project, d.job_id, d.state, d.reason, d.attempts,
      to_char(d.finished_at at time zone 'utc', 'YYYY-MM-DD HH24:MI:SS') as finished,
      p.webhook_url as url, p.webhook_secret as secret`.execute(db)
  return rows
}

/** Resolves with the error, if any. */
async function deliver(
  vault: Vault,
  { id, project, job_id, state, reason, finished, url, secret }: Delivery,
  settings: WebhookSettings,
): Promise<string | undefined> {
  if (url === null || secret === null) return 'the project no longer has a webhook'
  const body = JSON.stringify({ delivery: id, job_id, state, reason, finished_at: finished })
  try {
    const key = (await vault.open(project, SECRET_PLACE, secret)).toString()
    const signature = webhookSignature(key, Math.floor(Date.now() / 1000), body)
    const headers = { 'assay-delivery': id, 'assay-signature': signature }
    await postWebhook(url, body, headers, { ...settings, timeoutMs: TIMEOUT_MS })
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

async function settle(
  { db }: DispatcherSql,
  { id, attempts, url }: Delivery,
  error: string | undefined,
): Promise<void> {
  const isLast = url === null || attempts >= MAX_ATTEMPTS
  const outcome = error === undefined ? 'delivered' : isLast ? 'given up' : 'waiting'
  const seconds = Math.min(3600, 5 * 2 ** (attempts - 1))
  await db
    .updateTable('webhook_deliveries')
    .set({
      outcome,
      error: error ?? '',
      run_at: sql`now() + ${seconds} * (0.5 + random()) * interval '1 second'`,
    })
    .where('id', '=', id)
    .execute()
}
