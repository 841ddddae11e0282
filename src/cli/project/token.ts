/** `assay project token`: giving a project its next token, and ending its old one. */
import { Command } from 'commander'
import { columns } from './columns.ts'
import { databaseCommand } from './database.ts'

/** The command. */
export function projectTokenCommand(): Command {
  return new Command('token')
    .description('Tokens of a project. Two may live at once, so that one can replace the other.')
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
    .description('Give a project one more token and print it. It is shown only now.')
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
    .description('List the tokens of a project by the names that revoke takes.')
    .argument('<project>', 'id of the project')
}

function revokeCommand(): Command {
  return databaseCommand('revoke', async (sql, command) => {
    const { revokeToken } = await import('../../jobs/dispatcher/access/projects.ts')
    const [project = '', token = ''] = command.args
    await revokeToken(sql, project, token)
    process.stdout.write(`revoked ${token}; running dispatchers stop taking it within seconds\n`)
  })
    .description('End one token of a project.')
    .argument('<project>', 'id of the project')
    .argument('<token>', 'id of the token, as list shows it')
}
