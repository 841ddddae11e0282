/** `assay model get`: a model of the catalogue, of Hugging Face, of an address or of a file, in the home folder. */
import { Command } from 'commander'
import { homePaths } from '../../config/home.ts'
import { integer } from '../../config/types.ts'
import { addModelName } from '../../inference/modelNames.ts'
import { findInCatalogue } from '../../models/catalogue.ts'
import { readReference } from '../../models/reference.ts'
import type { Wanted } from '../../models/source.ts'
import { addHomeOption, readOption } from '../options.ts'
import { createProgress, progressOf } from '../progress.ts'
import { addModel, placeFor, SERVED_SOON, type AddFlags } from './add.ts'
import { addCatalogueNames } from './catalogueNames.ts'
import { describeModel, printDescription, requireSupported, type Description } from './describe.ts'

const GIGABYTE = 1_000_000_000
const MAX_GIGABYTES = 100_000

type Flags = AddFlags & { readonly maxSize: string }

/** Fetches with a progress bar; resolves with the path, and what was found in the file. */
async function fetchShown(wanted: Wanted, { home, anyEngine, maxSize }: Flags) {
  const { fetchModel } = await import('../../models/fetchModel.ts')
  const { openWeb } = await import('../../models/web.ts')
  const maxBytes = readOption('--max-size', integer(1, MAX_GIGABYTES), maxSize) * GIGABYTE
  const progress = createProgress()
  let description: Description | undefined
  const web = openWeb(process.env)
  try {
    const { path, wasThere } = await fetchModel(wanted, {
      folder: homePaths(home).models,
      web,
      environment: process.env,
      maxBytes,
      signal: new AbortController().signal,
      report: progressOf(progress, `Fetching ${wanted.file}`),
      async check(file) {
        progress.end()
        description = await describeModel(file)
        if (anyEngine !== true) requireSupported(description)
      },
    })
    return { path, wasThere, description }
  } finally {
    progress.end()
    await web.close()
  }
}

async function get(text: string, flags: Flags): Promise<void> {
  const reference = readReference(text)
  if (reference.kind === 'file') return addModel(reference.path, flags)
  const { fileName, called } = placeFor(reference.wanted.file, flags.name)
  const wanted = { ...reference.wanted, file: fileName }
  const { path, wasThere, description } = await fetchShown(wanted, flags)
  const { models } = homePaths(flags.home)
  if (called !== fileName) await addModelName(models, called, fileName)
  await addCatalogueNames(models, fileName)
  process.stdout.write(`${path}\n`)
  const licence = findInCatalogue(text)?.licence
  if (licence !== undefined) process.stdout.write(`licence       ${licence}\n`)
  printDescription(description ?? (await describeModel(path)))
  process.stdout.write(wasThere ? 'It was there already.\n' : SERVED_SOON)
}

/** The command. */
export function getModelCommand(): Command {
  return addHomeOption(new Command('get'))
    .description('Fetch a model into the home folder, from where the last attempt ended.')
    .argument(
      '<model>',
      'a name of assay model list --all, hf:ORG/REPO@REVISION/FILE.gguf, https://…#sha256=…, or a file',
    )
    .option('--name <name>', 'name of the model in jobs (default: the file name)')
    .option('--any-engine', 'add it even if the engine for opml jobs cannot run it')
    .option('--max-size <GB>', 'maximum size of a file, in gigabytes', '100')
    .addHelpText(
      'after',
      `
Addresses: PIP_INDEX_URL and pip's files name the package index, HF_ENDPOINT a mirror of Hugging Face.
HF_TOKEN is the token for models that need permission. HTTP_PROXY, HTTPS_PROXY and NO_PROXY are followed.`,
    )
    .action(get)
}
