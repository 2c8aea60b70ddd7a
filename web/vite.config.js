import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { defineConfig } from 'vite'
import { packageOf } from '../scripts/packages.js'
import { browsers } from './browsers.js'
import { icon } from './src/ui/lucide.ts'

/**
 * Converts sizes in style sheets from pixels to rems, so that they follow the type size that the reader has set in the browser. Lines,
 * rings and small gaps stay in pixels. Window widths are converted too, so that large type gets the layout of a narrow window.
 */
const byType = {
  Length: ({ unit, value }) => unit === 'px' && Math.abs(value) >= 4 ? { unit: 'rem', value: value / 16 } : undefined
}

const iconPrefix = '\0icon:'

/** The modules that the app starts with, which become one file instead of a dozen. */
const start = new Set()

/** The modules of the editor, which become one file whatever its languages share. */
const editor = new RegExp(
  '/(?:@codemirror/(?:state|view|commands|language|search|autocomplete)|' +
  '@lezer/(?:common|highlight|lr)|@marijn|style-mod|w3c-keyname|crelt)/'
)
/** The editor's languages have their own files, so that shared files do not load them. */
const language = /\/node_modules\/@(?:codemirror|lezer)\//

/** The modules that draw a chat, which become one file beside the start. */
const chat = new Set()
/** The modules of the card of the first start, which become another one. */
const card = new Set()

/** Finds the modules of the start and of a chat: all that they import, directly or indirectly, except by dynamic imports. */
const findFirst = {
  name: 'find-first',
  buildEnd () {
    const ids = [...this.getModuleIds()]
    const collect = (found, waiting) => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        if ([start, chat, card].some((known) => known.has(id))) continue
        found.add(id)
        waiting.push(...this.getModuleInfo(id)?.importedIds ?? [])
      }
    }
    collect(start, ids.filter((id) => this.getModuleInfo(id)?.isEntry))
    collect(card, ids.filter((id) => /\/setup\/(?:SetupCard|TourMore)\.tsx$/.test(id)))
    // The start has the few drawings of the card: a chat shows some of them too, and neither should load the other.
    for (const id of [...card].filter((one) => one.startsWith(iconPrefix))) {
      card.delete(id)
      start.add(id)
    }
    collect(chat, ids.filter((id) => /\/conversation\/(?:TranscriptView|SideCards)\.tsx$|\/turn\/turn-code\.ts$/.test(id)))
  }
}

const iconsFile = join(import.meta.dirname, 'src/ui/icons.ts')
const iconNames = new Map([...readFileSync(iconsFile, 'utf8').matchAll(/export const (\w+) = icon\('([\w-]+)'\)/g)].map(([, name, drawing]) => [name, drawing]))

/** Makes each icon a module that contains its drawing, so that a file has only those that it uses. */
const drawIcons = {
  name: 'draw-icons',
  enforce: 'pre',
  resolveId: (id) => id.startsWith('icon:') ? `\0${id}` : undefined,
  load: (id) => id.startsWith(iconPrefix) ? `export default ${JSON.stringify(icon(id.slice(iconPrefix.length)))}` : undefined,
  transform (code, id) {
    if (!/\.tsx?$/.test(id)) return
    packages.add('node_modules/@iconify-json/lucide')
    return code.replaceAll(/^import \{([^}]*)\} from '[./\w]*\/icons\.js'$/gm, (_, names) =>
      names.split(',').map((one) => one.trim().split(' as ')).map(([name, local = name]) => `import ${local} from 'icon:${iconNames.get(name)}'`).join(';'))
  }
}

/** Removes code of packages that the app does not use, and that the bundler cannot remove itself. */
const leaveOut = {
  name: 'leave-out',
  transform (code, id) {
    // The app uses only the lexer of marked. An instance that marked creates at load would keep everything else.
    if (id.endsWith('/marked.esm.js')) {
      const made = code.search(/var (\w+)=new \w+;function \w+\(\w+,\w+\)\{return \1\.parse/)
      if (made === -1) return
      const names = /(\w+) as Lexer\b/.exec(code.slice(made))
      return names === null ? undefined : { code: `${code.slice(0, made)}export{${names[1]} as Lexer};`, map: null }
    }
  }
}

/**
 * Has dynamic imports load the file with the code that they import. For a module in a shared file, the bundler makes another file that
 * only exports it again, which would be one more request.
 */
const linkParts = {
  name: 'link-parts',
  augmentChunkHash: () => 'linked',
  generateBundle: {
    order: 'post',
    handler (_, bundle) {
      const parts = new Map()
      for (const { type, fileName, code = '' } of Object.values(bundle)) {
        const [, names, file] = /^export\{([^{}]+)\}from"\.\/([^"]+)";\s*$/.exec(code) ?? []
        if (type === 'chunk' && file !== undefined && !fileName.startsWith('words-')) parts.set(fileName, { names, file })
      }
      const pick = (names) => names.split(',').map((one) => one.split(' as ')).map(([own, name = own]) => `${name}:e.${own}`).join()
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue
        for (const [fileName, { names, file }] of parts) {
          if (!chunk.code.includes(fileName)) continue
          chunk.code = chunk.code.replaceAll(`import(\`./${fileName}\`)`, `import(\`./${file}\`).then(e=>({${pick(names)}}))`)
            .replaceAll(`"${fileName}"`, `"${file}"`)
        }
      }
      for (const fileName of parts.keys()) delete bundle[fileName]
    }
  }
}

/** The folders of the packages in the app and its workers. */
const packages = new Set()
const project = join(import.meta.dirname, '..')

/** Collects the packages of all bundles. The app's bundle, written last, has them listed beside it, for scripts/build-service.js. */
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

/** The build of the browser app, called by `build.js`. Its files are served below /static/app/ and never change. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/static/app/',
  publicDir: false,
  css: { transformer: 'lightningcss', lightningcss: { visitor: byType } },
  plugins: [drawIcons, leaveOut, findFirst, notePackages(), linkParts],
  build: {
    target: browsers,
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
        // web/build.js recognises the files of words by these names.
        chunkFileNames: ({ facadeModuleId }) =>
          `${/\/src\/words\/([a-z]+)\/(?:index|screens)\.ts$/.exec(facadeModuleId ?? '')?.slice(1).map((code) => `words-${code}-`) ?? ''}[name]-[hash].js`,
        codeSplitting: {
          groups: [
            { name: 'start', test: (id) => start.has(id), priority: 3 },
            { name: 'chat', test: (id) => chat.has(id), priority: 2 },
            { name: 'card', test: (id) => card.has(id), priority: 2 },
            { name: 'icons', test: (id) => id.startsWith(iconPrefix), priority: 1 },
            { name: 'editor', test: editor, priority: 1 },
            // Small modules that several screens share.
            { name: 'shared', test: (id) => !start.has(id) && !language.test(id), minShareCount: 3, maxModuleSize: 20_000 }
          ]
        }
      },
      // The first warns about modules that several screens share, which is intended. The second only says that the machine is busy.
      checks: { ineffectiveDynamicImport: false, bundlerTimings: false },
      // virtua contains 'use client', for frameworks that also render on servers.
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
