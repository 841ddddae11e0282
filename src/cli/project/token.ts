/** `assay project token`: issues a project's next token, and revokes its old one. */
import { Command } from 'commander'
import { columns } from './columns.ts'
import { databaseCommand } from './database.ts'

/** The command. */
export function projectTokenCommand(): Command {
  return new Command('token')
    .description('Manage the tokens of a project. Two can be active at a time, for rotation.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())
}

function createCommand(): Command {
  return databaseCommand('create', async (sql, command) => {
    const { addToken } = await import('../../jobs/dispatcher/access/projects.ts')
    const [project = ''] = command.args
    process.stdout.write(`${await addToken(sql, project)}\n`)
  })
    .description('Create another token for a project and print it. It is shown only once.')
    .argument('<project>', 'id of the project')
}

function listCommand(): Command {
  return databaseCommand('list', async (sql, command) => {
    const { listTokens } = await import('../../jobs/dispatcher/access/projects.ts')
    const [project = ''] = command.args
    const rows = (await listTokens(sql, project)).map((token) => [
      token.id,
      token.createdAt.toISOString(),
      token.lastUsedAt?.toISOString() ?? 'never',
      token.revokedAt?.toISOString() ?? 'no',
    ])
    process.stdout.write(columns(['id', 'created', 'last used', 'revoked'], rows))
  })
    .description('List the tokens of a project with the ids used by revoke.')
    .argument('<project>', 'id of the project')
}

function revokeCommand(): Command {
  return databaseCommand('revoke', async (sql, command) => {
    const { revokeToken } = await import('../../jobs/dispatcher/access/projects.ts')
    const [project = '', token = ''] = command.args
    await revokeToken(sql, project, token)
    process.stdout.write(`revoked ${token}; running dispatchers stop accepting it within seconds\n`)
  })
    .description('Revoke a token of a project.')
    .argument('<project>', 'id of the project')
    .argument('<token>', 'id of the token, as shown by list')
}
