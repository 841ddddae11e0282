// Node's module hooks that make JavaScript of TypeScript, as Vitest does for the tests themselves. Runs in the thread that
// Node keeps for hooks.
import fs from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'rolldown/utils'

/** The hook `load`: https://nodejs.org/docs/latest-v20.x/api/module.html#loadurl-context-nextload */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context)
  const file = fileURLToPath(url)
  const { code, map, errors } = await transform(file, await fs.readFile(file, 'utf8'), {
    sourcemap: true,
  })
  if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
  const mapUrl = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`
  return {
    format: 'module',
    source: `${code}\n//# sourceMappingURL=${mapUrl}`,
    shortCircuit: true,
  }
}
