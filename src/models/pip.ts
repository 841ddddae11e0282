/** The address of the Python package index, from pip's own settings (https://pip.pypa.io/en/stable/topics/configuration/, D124). */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { UserError } from '../base/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PUBLIC_INDEX = 'https://pypi.org/simple'
const MAX_FILE_BYTES = 1024 * 1024
/** Sections that hold for a download, the most specific first. */
const SECTIONS = ['download', 'install', 'global'] as const

/** Files in the order in which pip reads them: later ones win. */
function filesOf(environment: Environment): readonly string[] {
  const { PIP_CONFIG_FILE: named, VIRTUAL_ENV: site, XDG_CONFIG_HOME: config } = environment
  if (named === os.devNull) return []
  const home = environment['HOME'] ?? os.homedir()
  const mac = process.platform === 'darwin'
  return [
    ...(mac ? ['/Library/Application Support/pip/pip.conf'] : ['/etc/xdg/pip/pip.conf']),
    '/etc/pip.conf',
    path.join(home, '.pip', 'pip.conf'),
    path.join(config ?? path.join(home, '.config'), 'pip', 'pip.conf'),
    ...(mac ? [path.join(home, 'Library', 'Application Support', 'pip', 'pip.conf')] : []),
    ...(site === undefined ? [] : [path.join(site, 'pip.conf')]),
    ...(named === undefined ? [] : [named]),
  ]
}

/** Keys and values of a file by section. Keys are spelled with dashes, as pip takes both. */
function parse(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  let section = ''
  for (const line of text.split(/\r?\n/)) {
    const [, head] = /^\[([^\]]*)\]/.exec(line) ?? []
    if (head !== undefined) section = head
    const [, key, value] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined)
      values.set(`${section}.${key.toLowerCase().replaceAll('_', '-')}`, value.trim())
  }
  return values
}

function readSmall(file: string): string {
  try {
    return fs.statSync(file).size > MAX_FILE_BYTES ? '' : fs.readFileSync(file, 'utf8')
  } catch {
    // Not there, or not for us, as pip has it.
    return ''
  }
}

function setting(name: string, environment: Environment): string | undefined {
  const given = environment[`PIP_${name.replaceAll('-', '_').toUpperCase()}`]
  if (given !== undefined && given !== '') return given
  const all = new Map(filesOf(environment).flatMap((file) => [...parse(readSmall(file))]))
  return SECTIONS.map((section) => all.get(`${section}.${name}`)).find(
    (value) => value !== undefined && value !== '',
  )
}

export type PackageIndex = {
  /** Ends with a slash. */
  readonly url: URL
  /** Header for the index, if its address has a user and password. */
  readonly authorization: string | undefined
}

/** The index of an environment. Throws UserError when the settings name none. */
export function packageIndex(environment: Environment): PackageIndex {
  if (/^(?:1|true|yes|on)$/i.test(setting('no-index', environment) ?? ''))
    throw new UserError(
      "pip's settings forbid the package index (no-index)",
      'Fetch the file yourself and add it: assay model get FILE.',
    )
  const text = setting('index-url', environment) ?? PUBLIC_INDEX
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UserError("index-url of pip's settings is not an address", 'See pip config list.')
  const { username, password } = url
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  url.username = ''
  url.password = ''
  if (!url.pathname.endsWith('/')) url.pathname += '/'
  const authorization =
    login === ':' ? undefined : `Basic ${Buffer.from(login, 'utf8').toString('base64')}`
  return { url, authorization }
}
