import { defineConfig } from 'vite'

/** What the app begins with, whatever it is made of: one file to fetch instead of a dozen. */
const start = new Set()

/** Finds everything that the page imports, and that imports in turn. What is imported when it is needed is not among it. */
const findStart = {
  name: 'find-start',
  buildEnd () {
    const waiting = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry)
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (start.has(id)) continue
      start.add(id)
      waiting.push(...this.getModuleInfo(id)?.importedIds ?? [])
    }
  }
}

/** How the browser app is built; `scripts/build-web.js` calls it. What comes of it is served below /static/app/, as files that never change. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/static/app/',
  publicDir: false,
  plugins: [findStart],
  build: {
    // Whoever stays up to date has these, and so do all that have shared workers with modules.
    target: ['chrome111', 'safari16.4', 'firefox114'],
    outDir: 'built',
    emptyOutDir: true,
    assetsDir: '.',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: 'app.html',
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', test: (id) => start.has(id), priority: 1 },
            // Icons and small parts that several screens share.
            { name: 'shared', test: (id) => !start.has(id), minShareCount: 3, maxModuleSize: 20_000 }
          ]
        }
      },
      // virtua says 'use client', for frameworks that also draw on servers.
      onLog: (level, log, handle) => { if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log) }
    }
  },
  worker: { format: 'es' },
  resolve: { alias: { react: 'preact/compat', 'react-dom': 'preact/compat' } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  clearScreen: false,
  logLevel: 'warn'
})
