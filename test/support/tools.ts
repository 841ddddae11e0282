/** Other people's programs that `.ci/run` installs; tests skip without them, with a notice, except where they are required. */
import fs from 'node:fs'
import path from 'node:path'

const HOW: Readonly<Record<string, string>> = {
  'compose-go':
    'GOBIN=$PWD go install github.com/compose-spec/compose-go/v2/cmd@v2.16.2 && mv cmd compose-go',
  helm: 'go install helm.sh/helm/v3/cmd/helm@v3.22.0',
  haproxy: 'apt-get install haproxy',
  promtool: 'apt-get install prometheus',
}

/** Whether a program is on the PATH, or where Debian has those of servers. */
export function isInstalled(name: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin']
  return folders.some((folder) => {
    try {
      fs.accessSync(path.join(folder, name), fs.constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/**
 * Whether a program is there. Without it, says how to install it. Throws where ASSAY_TOOLS_REQUIRED is set: there, a
 * missing program is a fault of the set-up.
 */
export function hasTool(name: string): boolean {
  if (isInstalled(name)) return true
  const notice = `${name} is not on the PATH: ${HOW[name] ?? 'install it'}`
  if (process.env['ASSAY_TOOLS_REQUIRED'] === '1') throw new Error(notice)
  process.stderr.write(`Tests are skipped: ${notice}\n`)
  return false
}
