// Builds the browser app into built/: files with a hash of their content in their names. With --types, writes the types of the interface
// instead (clients/typescript/types.js), which only type checks need. May be called from any folder.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { iconPng } from './app-icon.js'
import { browsers } from './browsers.js'

const built = 'built'
/** The codes of the app's languages: each has a folder of words. */
const languageCodes = readdirSync(join(import.meta.dirname, 'src/words'), { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name)

process.chdir(import.meta.dirname)
if (process.argv.includes('--types')) await import('../clients/typescript/types.js')
else await buildApp()

async function buildApp () {
  const { build } = await import('vite')
  await build({ configFile: 'vite.config.js' })
  await buildScript('worker', 'worker.js')
  await buildScript('begin', 'begin-[hash].js')
  includeIcon()
  const icons = writeIcons()
  writeShell(icons)
}

/** Builds a module of the folder `worker` into one classic script. */
async function buildScript (module, file) {
  const { build } = await import('vite')
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    build: {
      target: browsers, outDir: built, emptyOutDir: false, reportCompressedSize: false,
      rolldownOptions: { input: `worker/${module}.js`, output: { format: 'iife', entryFileNames: file } }
    }
  })
}

/** Puts the icon of the page into the page: it is small, and would be another request. */
function includeIcon () {
  const file = join(built, 'app.html')
  const page = readFileSync(file, 'utf8')
  const [address, name] = /\/static\/app\/(icon-[\w-]+\.svg)/.exec(page)
  const drawing = readFileSync(join(built, name), 'utf8').replace(/>\s+</g, '><').trim()
  writeFileSync(file, page.replace(address, () => `data:image/svg+xml,${encodeURIComponent(drawing)}`))
  rmSync(join(built, name))
}

/** Writes the icons. Returns the file of each, and how it is used. */
function writeIcons () {
  return [{ pixels: 192 }, { pixels: 512 }, { pixels: 512, safe: true }, { pixels: 180, safe: true }].map(({ pixels, safe = false }) => {
    const bytes = iconPng(pixels, { safe })
    const name = `icon-${pixels}${safe ? '-safe' : ''}-${createHash('sha256').update(bytes).digest('hex').slice(0, 8)}.png`
    writeFileSync(join(built, name), bytes)
    return { name, pixels, safe }
  })
}

/** Returns the service worker, and removes its file: the service answers with it, after the values that it needs (routes/pages.ts). */
function takeWorker () {
  const file = join(built, 'worker.js')
  const script = readFileSync(file, 'utf8')
  rmSync(file)
  return script
}

/**
 * Writes the service worker and the list of files that it caches: `first` those that the page starts with, then the `rest`. The files of
 * `chat` are among these.
 */
function writeShell (icons) {
  const worker = takeWorker()
  const page = readFileSync(join(built, 'app.html'), 'utf8')
  const names = readdirSync(built).filter((name) => /\.(?:js|css|svg|woff2)$/.test(name)).toSorted()
  const begin = names.find((name) => name.startsWith('begin-'))
  const isFirst = (name) => page.includes(`/${name}"`) || name.startsWith('hub-worker-') || name === begin
  const languageOf = (name) => /^words-([a-z]+)-/.exec(name)?.[1]
  const version = createHash('sha256').update(page).update(names.join()).digest('hex').slice(0, 12)
  writeFileSync(join(built, 'shell.json'), JSON.stringify({
    version, worker, first: names.filter(isFirst), begin, icons,
    // What a page that begins with a chat preloads (routes/pages.ts).
    chat: names.filter((name) => /^chat-[\w-]{8}\.(?:js|css)$/.test(name)),
    // The files for diagrams are large, and are cached with the first diagram.
    rest: names.filter((name) => !isFirst(name) && !name.startsWith('mermaid') && languageOf(name) === undefined),
    words: Object.fromEntries(languageCodes.map((code) => [code, names.filter((name) => languageOf(name) === code)]))
  }))
}
