/** How the explorer's page is built: static files, nothing inlined, so that its content-security policy can be strict. */
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { browserCrypto } from './build/browserCrypto.ts'
import { contractTable } from './build/contractTable.ts'
import { signatureTable } from './build/signatureTable.ts'

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), browserCrypto(), signatureTable(), contractTable()],
  build: {
    outDir: path.resolve(import.meta.dirname, '..', 'dist', 'web'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  worker: {
    format: 'iife',
    rollupOptions: { output: { entryFileNames: 'assets/[name]-[hash].js' } },
  },
  logLevel: 'warn',
})
