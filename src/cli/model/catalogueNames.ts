/** The names of the catalogue in the table of a models folder, so that jobs can ask by them (D143). */
import { addModelName, readModelNames } from '../../inference/modelNames.ts'
import { CATALOGUE } from '../../models/catalogue.ts'

/** Gives a file that was fetched its names. One that means another file already keeps meaning it. */
export async function addCatalogueNames(folder: string, file: string): Promise<void> {
  const entry = CATALOGUE.find((each) => each.file === file)
  if (entry === undefined) return
  const taken = await readModelNames(folder)
  for (const name of [entry.name, ...entry.aliases])
    if (!taken.has(name)) await addModelName(folder, name, file)
}

/** What people call a file: its shortest name in the catalogue, if it has one. */
export function shortNameOf(file: string): string {
  return CATALOGUE.find((each) => each.file === file)?.aliases[0] ?? file
}
