/** `assay project webhook`: where a project is notified of finished jobs. */
import type { Command } from 'commander'
import { messageOf, UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { loadDispatcherConfig } from '../dispatcher.ts'
import { databaseCommand } from './database.ts'

/** The command. */
export function projectWebhookCommand(): Command {
  return databaseCommand('webhook', async (sql, command) => {
    const { requireProject } = await import('../../jobs/dispatcher/access/projects.ts')
    const { openVault } = await import('../../jobs/dispatcher/vault/vault.ts')
    const { setWebhook } = await import('../../jobs/dispatcher/webhooks/deliver.ts')
    const [project = '', url] = command.args
    const home = homePaths(command.opts<{ home: string }>().home)
    await requireProject(sql.db, project)
    const vault = await openVault(sql, home.promptKey)
    const trusted = loadDispatcherConfig(command, home)['dispatcher.webhook-hosts']
    const secret = await setWebhook(sql, vault, project, url, { trusted }).catch(
      (error: unknown) => {
        throw new UserError(messageOf(error), 'See dispatcher.webhook-hosts for private hosts.')
      },
    )
    process.stdout.write(url === undefined ? `${project} has no webhook\n` : `secret  ${secret}\n`)
  })
    .description(
      'Send a POST to a URL when a job of the project ends. Prints the secret of the header assay-signature, which is t=<time>,v1=<HMAC-SHA256 of "<time>.<body>">. Without a URL, removes the webhook.',
    )
    .argument('<project>', 'id of the project')
    .argument('[url]', 'https://…')
}
