/** The fork of a chain for development, as `assay up --dev --hardfork` names it (D56). */
import fs from 'node:fs'
import { UserError } from '../base/errors.ts'
import { parseGenesis } from '../chain/genesis.ts'
import type { Home } from '../config/home.ts'
import { loadGenesis } from '../consensus/files/genesis.ts'
import { GENESIS_HARDFORK, type Hardfork } from '../evm/rules.ts'

/** Throws UserError where a fork is named that the home's chain does not begin with, or without `dev.enable`. */
export function checkDevelopmentFork(
  home: Home,
  hardfork: Hardfork | undefined,
  isDevelopment: boolean,
): void {
  if (hardfork === undefined) return
  if (!isDevelopment)
    throw new UserError(
      '--hardfork is for chains for development',
      'Add --dev. How other chains change their fork is in docs/upgrades.md.',
    )
  if (!fs.existsSync(home.genesis)) return
  const { chainId, appState } = loadGenesis(home.genesis).genesis
  const { hardfork: present = GENESIS_HARDFORK } = parseGenesis(chainId, appState).rules
  if (present !== hardfork)
    throw new UserError(
      `--hardfork: the chain of this home begins with ${present}`,
      `Leave it out, or create a new home folder: assay up --dev --hardfork ${hardfork} --home <folder>`,
    )
}
