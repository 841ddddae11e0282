/** `assay project`: who may submit jobs, with which tokens, and within which limits. */
import { Command } from 'commander'
import { projectCreateCommand } from './project/create.ts'
import { projectListCommand } from './project/list.ts'
import { projectQuotaCommand } from './project/quota.ts'
import { projectTokenCommand } from './project/token.ts'
import { projectWebhookCommand } from './project/webhook.ts'

/** The command. */
export function projectCommand(): Command {
  return new Command('project')
    .description('Manage projects that submit jobs: tokens and limits.')
    .addCommand(projectCreateCommand())
    .addCommand(projectListCommand())
    .addCommand(projectTokenCommand())
    .addCommand(projectQuotaCommand())
    .addCommand(projectWebhookCommand())
}
