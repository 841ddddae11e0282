// With --import for the processes of Vitest, whose threads and forks inherit it: lets those run TypeScript that start from
// it. Vitest's own processes, and threads of packages, go without hooks, which would only slow their imports down.
if (process.argv[1]?.endsWith('.ts')) await import('./register.mjs')
