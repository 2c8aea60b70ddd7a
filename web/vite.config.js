import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig } from 'vite'
import { packageOf } from '../scripts/packages.js'
import { icon } from './src/ui/lucide.ts'

/**
 * Makes every size of a style sheet follow the type that the reader has chosen in the browser: pixels are written, rems are built. Lines,
 * rings and small gaps stay as they are; windows are measured in it as well, so that large type gets the layout of a narrow window.
 */
const byType = {
  Length: ({ unit, value }) => unit === 'px' && Math.abs(value) >= 4 ? { unit: 'rem', value: value / 16 } : undefined
}

/** What the app begins with, whatever it is made of: one file to fetch instead of a dozen. */
const start = new Set()

/** The editor is one file, whatever its languages share of it. */
const editor = new RegExp(
  '/(?:@codemirror/(?:state|view|commands|language|search|autocomplete)|' +
  '@lezer/(?:common|highlight|lr)|@marijn|style-mod|w3c-keyname|crelt)/'
)
/** Its languages, each in files of its own: what other screens share must not load them. */
const language = /\/node_modules\/@(?:codemirror|lezer)\//

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

/** Puts drawings in the place of their names, so that the app brings only those that it uses. */
const drawIcons = {
  name: 'draw-icons',
  enforce: 'pre',
  transform (code, id) {
    if (!id.endsWith('/src/ui/icons.ts')) return
    packages.add('node_modules/@iconify-json/lucide')
    return code.replace(/^import .*\n/, '').replaceAll(/\bicon\('([\w-]+)'\)/g, (_, name) => JSON.stringify(icon(name)))
  }
}

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
  }
}

/** Folders of the packages that the app and its workers are made of. */
const packages = new Set()
const project = join(import.meta.dirname, '..')

/** Finds the packages of a bundle; the app's own, which is written last, notes them all beside itself for scripts/build-service.js. */
const notePackages = () => ({
  name: 'note-packages',
  buildEnd () {
    for (const id of this.getModuleIds()) {
      const folder = packageOf(id)
      if (folder !== undefined && !id.startsWith('\0')) packages.add(relative(project, folder))
    }
  },
  writeBundle ({ dir }) {
    writeFileSync(join(dir, '.packages.json'), JSON.stringify([...packages].toSorted()))
  }
})

/**
 * How the browser app is built; `build.js` calls it. What comes of it is served below /static/app/, as files that never change.
 */
export default defineConfig({
  root: import.meta.dirname,
  base: '/static/app/',
  publicDir: false,
  css: { transformer: 'lightningcss', lightningcss: { visitor: byType } },
  plugins: [drawIcons, leaveOut, findStart, notePackages()],
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
        // web/build.js tells them by their names from all other files.
        chunkFileNames: ({ facadeModuleId }) =>
          `${/\/src\/words\/([a-z]+)\/(?:index|screens)\.ts$/.exec(facadeModuleId ?? '')?.slice(1).map((code) => `words-${code}-`) ?? ''}[name]-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'start', test: (id) => start.has(id), priority: 1 },
            { name: 'editor', test: editor, priority: 1 },
            // Icons and small parts that several screens share.
            { name: 'shared', test: (id) => !start.has(id) && !language.test(id), minShareCount: 3, maxModuleSize: 20_000 }
          ]
        }
      },
      // Differences lie with what several screens share; and how long a busy machine takes is no news to who starts the service.
      checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
      // virtua says 'use client', for frameworks that also draw on servers.
      onLog: (level, log, handle) => { if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log) }
    }
  },
  worker: { format: 'es', plugins: () => [notePackages()] },
  resolve: {
    alias: ['react', 'react/jsx-runtime', 'react-dom'].map((find) => ({
      find: new RegExp(`^${find}$`), replacement: join(import.meta.dirname, 'src/ui/react.ts')
    }))
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  clearScreen: false,
  logLevel: 'warn'
})
