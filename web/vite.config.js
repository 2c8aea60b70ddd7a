import { join } from 'node:path'
import { defineConfig } from 'vite'

/** What the app begins with, whatever it is made of: one file to fetch instead of a dozen. */
const start = new Set()

/** Finds everything that the page imports, and that imports in turn. What is imported when it is needed is not among it. */
const findStart = {
  name: 'find-start',
  buildEnd () {
    const waiting = [...this.getModuleIds()].filter((id) => this.getModuleInfo(id)?.isEntry)
    // The card of the first start is one file more: what it shares with other screens is small.
    const card = [...this.getModuleIds()].find((id) => id.endsWith('/setup/ConnectModel.tsx'))
    waiting.push(...this.getModuleInfo(card).importedIds)
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (start.has(id)) continue
      start.add(id)
      waiting.push(...this.getModuleInfo(id)?.importedIds ?? [])
    }
  }
}

const createIcon = `import { h } from 'preact'
export default ({ node }) => ({ size, strokeWidth, absoluteStrokeWidth, ...rest }) => h('svg', {
  xmlns: 'http://www.w3.org/2000/svg', width: size, height: size, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor',
  'stroke-width': strokeWidth * 24 / size, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', ...rest
}, node.map(([tag, attributes]) => h(tag, attributes)))`

/** What packages bring along that the app has no use for, and that a build cannot tell by itself. */
const leaveOut = {
  name: 'leave-out',
  transform (code, id) {
    // Of marked, the lexer is used alone; what it makes once for everybody would keep the rest of it.
    if (id.endsWith('/marked.esm.js')) {
      const made = code.search(/var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse/)
      if (made === -1) return
      const names = /(\w+) as Lexer\b/.exec(code.slice(made))
      return names === null ? undefined : { code: `${code.slice(0, made)}export{${names[1]} as Lexer};`, map: null }
    }
    // Keys are for React: an icon's parts never change. What icons are called is said nowhere.
    if (id.includes('/lucide-preact/dist/esm/icons/')) {
      return { code: code.replaceAll(/,?\s*key: "\w+"|^ *(?:name: "[\w-]+"|size: 24),\n|^__iconData\.node;$/gm, ''), map: null }
    }
    // The app draws icons in one way, and has no use for the others.
    if (id.endsWith('/lucide-preact/dist/esm/createLucideIcon.mjs')) return { code: createIcon, map: null }
  }
}

/**
 * How the browser app is built; `scripts/build-web.js` calls it. What comes of it is served below /static/app/, as files that never change.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/static/app/',
  publicDir: false,
  plugins: [leaveOut, findStart],
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
  resolve: {
    alias: ['react', 'react/jsx-runtime', 'react-dom'].map((find) => ({
      find: new RegExp(`^${find}$`), replacement: join(import.meta.dirname, 'src/ui/react.ts')
    }))
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  clearScreen: false,
  logLevel: 'warn'
})
