/** Flags of Node for a process of its own that runs TypeScript files of `src/`, also with `-e`. */
export const TYPESCRIPT_FLAGS: readonly string[] = [
  '--import',
  new URL('./register.mjs', import.meta.url).href,
]
