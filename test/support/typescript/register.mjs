// With --import: lets a process run TypeScript, which Node learns only with version 22.18. For tests alone.
import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./hooks.mjs', import.meta.url)
