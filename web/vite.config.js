import { defineConfig } from 'vite'

/** How the browser app is built; `scripts/build-web.js` calls it. What comes of it is served below /static/app/, as files that never change. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/static/app/',
  publicDir: false,
  // Whoever stays up to date has these, and so do all that have SharedWorker with modules.
  build: {
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
