// Builds dist/: the service, its agent host, worker threads and backups, each bundled with most of what they import, because
// a start would spend its time on reading a thousand small files; and beside them the files that are read at run time. Builds
// in use are kept (builds.js).
import { build, transform } from 'esbuild'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompressSync, constants } from 'node:zlib'
import { compiledFolder, currentBuild, namesIn, placeBuild, removeOthers, replaceFile } from './builds.js'
import { bundling, entries, sources } from './bundle.js'
import { credentialPatterns } from './credential-patterns.js'
import { packageOf, packagesOf } from './packages.js'
import { filesOf, stampFile } from './stamps.js'
import { noticesFile, noticesOf, readThirdParty } from './third-party.js'

const dist = 'dist'
const out = join(dist, 'builds', `.${process.pid}`)
const { platform, target, logLevel } = bundling
const common = { platform, target, logLevel, legalComments: 'none' }
const compress = promisify(brotliCompress)
const packed = /\.(?:js|css|html|md|svg|json)$/
/** Of these, what the service reads itself. */
const read = ['app.html', 'shell.json', '.packages.json']
/** Name for a file's own address, which only ES modules know by themselves. */
const address = 'addressOfBundle'

rmSync(out, { recursive: true, force: true })
const { outputFiles, metafile } = await build({
  ...bundling,
  ...common,
  plugins: [...bundling.plugins, credentialPatterns],
  entryPoints: entries,
  outdir: out,
  entryNames: 'chunks/[name]-[hash]',
  write: false,
  metafile: true,
  define: { ...bundling.define, 'import.meta.url': address, 'import.meta.dirname': '__dirname' }
})
assertStamped(Object.keys(metafile.inputs))
const describe = ({ path }) => metafile.outputs[relative('.', path)]
mkdirSync(join(out, 'chunks'), { recursive: true })
await Promise.all(outputFiles.map(async (file) => writeFileSync(file.path, await asScript(file))))
writeFileSync(join(out, 'chunks/required.json'), JSON.stringify(Object.fromEntries(outputFiles.map((file) => [
  basename(file.path), describe(file).imports.filter(({ kind, external }) => kind === 'import-statement' && external !== true).map(({ path }) => basename(path))
]))))
for (const file of outputFiles) {
  const { entryPoint } = describe(file)
  if (entries.includes(entryPoint)) writeEntry(entryPoint.replace(/\.ts$/, '.js'), basename(file.path))
}
await build({
  ...common,
  entryPoints: ['services/ground/loader.ts'],
  outfile: join(out, 'loader.js'),
  bundle: true,
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname' }
})
writeFileSync(join(out, 'package.json'), JSON.stringify(manifest(), null, 2))
writeThirdParty()
for (const path of [
  'drizzle', 'skills', 'site/built', 'web/built', 'web/static', 'web/login.html', 'web/pair.html', 'web/error.html',
  'services/providers/catalog.json', 'services/providers/agent-registry.json', 'docs/config.schema.json', 'docs/openapi.json'
]) cpSync(path, join(out, path), { recursive: true, filter: (path) => basename(path) !== stampFile && !path.endsWith('_snapshot.json') })
const before = currentBuild(dist)
if (before !== undefined) keepCompiled(before)
await pack('web/built', constants.BROTLI_MAX_QUALITY)
// The best quality would take six times as long for a tenth of the bytes, at every first start of a clone.
await pack('site/built', 9)
const current = placeBuild(dist, out)
for (const entry of entries.map((path) => path.replace(/\.ts$/, '.js'))) {
  mkdirSync(dirname(join(dist, entry)), { recursive: true })
  replaceFile(join(dist, entry), `${newEnough()}module.exports = require(${JSON.stringify(from(entry, `builds/${current}/${entry}`))})\n`)
}
replaceFile(join(dist, 'package.json'), '{ "type": "commonjs" }\n')
mkdirSync(join(dist, 'docs'), { recursive: true })
replaceFile(join(dist, 'docs/config.schema.json'), readFileSync('docs/config.schema.json', 'utf8'))
removeOthers(dist, [join(dist, 'builds', current), before])
// Earlier versions had their build here.
for (const name of [
  'chunks', 'drizzle', 'site', 'skills', 'web', 'loader.js', 'services/providers', compiledFolder
]) rmSync(join(dist, name), { recursive: true, force: true })

/** Throws if a bundle contains files whose changes would not be noticed. */
function assertStamped (inputs) {
  const known = new Set(filesOf(sources()))
  const missing = inputs.filter((path) => packageOf(path) === undefined && !known.has(path))
  if (missing.length > 0) throw new Error(`Add these to the sources in scripts/bundle.js: ${missing.join(', ')}`)
}

/** Returns a script for a Node that is too old to load the rest: it prints a message, and ends. */
function newEnough () {
  const needed = JSON.parse(readFileSync('package.json', 'utf8')).engines.node.replace('>=', '')
  const [major, minor] = needed.split('.')
  return `const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${major} || (major === ${major} && minor < ${minor})) {
  console.error(\`This needs Node.js ${major}.${minor} or newer, but was started with \${process.versions.node}. Install a newer one (https://nodejs.org); in a clone, npm start uses the one that npm ci has brought.\`)
  process.exit(1)
}
`
}

/**
 * Writes the packages that the build contains, for releases, and their licences, which the service shows: the packages in the bundles and
 * in the app, and those that are installed beside them.
 */
function writeThirdParty () {
  const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => packageOf(path)))
  const app = JSON.parse(readFileSync('web/built/.packages.json', 'utf8'))
  const folders = new Set([...bundled.filter((folder) => folder !== undefined), ...app, ...packagesOf(out)])
  const { packages, problems } = readThirdParty([...folders])
  writeFileSync(join(out, 'third-party.json'), JSON.stringify({
    packages: packages.map(({ name, version, licence }) => ({ name, version, licence })), problems
  }))
  replaceFile(noticesFile, noticesOf(packages))
}

/** Copies the code that the engine has compiled for files that stay the same. */
function keepCompiled (before) {
  for (const folder of namesIn(join(before, compiledFolder))) {
    for (const name of namesIn(join(before, compiledFolder, folder))) {
      if (name === 'probe.bin' || existsSync(join(out, 'chunks', name.replace(/\.bin$/, '')))) {
        cpSync(join(before, compiledFolder, folder, name), join(out, compiledFolder, folder, name))
      }
    }
  }
}

/** Keeps texts that the service sends (plugins/ground/precompressed.ts) only compressed. The same text is not compressed again. */
async function pack (folder, quality) {
  const names = readdirSync(join(out, folder), { recursive: true }).filter((name) => packed.test(name) && !read.includes(name))
  await Promise.all(names.map(async (name) => {
    const path = join(out, folder, name)
    const text = readFileSync(path)
    const kept = before === undefined ? null : packedBefore(join(before, folder, `${name}.br`), text)
    writeFileSync(`${path}.br`, kept ?? await compress(text, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: text.length }
    }))
    rmSync(path)
  }))
}

function packedBefore (path, text) {
  try {
    const bytes = readFileSync(path)
    return brotliDecompressSync(bytes).equals(text) ? bytes : null
  } catch {
    return null
  }
}

/** Returns the package.json of the build: its files are CommonJS scripts, and its dependencies the packages that are not bundled. */
function manifest () {
  const { name, version, license, engines, dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const needed = (packages) => Object.fromEntries(Object.entries(packages).filter(([name]) => bundling.external.includes(name)))
  return {
    name,
    version,
    license,
    private: true,
    type: 'commonjs',
    engines,
    dependencies: needed(dependencies),
    optionalDependencies: needed(optionalDependencies)
  }
}

/** Converts a chunk to the form that the loader takes: a script that loads other chunks with `require`. */
async function asScript (file) {
  let { text } = file
  for (const { path, kind, external = false } of describe(file).imports) {
    if (kind !== 'dynamic-import') continue
    const name = JSON.stringify(external ? path : `./${basename(path)}`)
    text = text.replaceAll(`import(${name})`, external ? `importPackage(${name})` : `importFile(${name})`)
  }
  const { code } = await transform(text, { ...common, format: 'cjs', minifyWhitespace: true, lineLimit: 160 })
  return asAscii(code.includes(address) ? `const ${address} = require("node:url").pathToFileURL(__filename).href;\n${code}` : code)
}

/**
 * Returns the same script in characters for which the engine needs one byte each: a single other character makes it keep two bytes
 * for each character of the whole file, as long as the service runs. esbuild escapes such characters in strings, but not in
 * patterns and tagged templates.
 */
function asAscii (code) {
  // If the character itself follows a backslash, its escape would have another meaning.
  const wrong = /(?<!\\)(?:\\\\)*\\[^\x00-\x7f]/.exec(code) // eslint-disable-line no-control-regex -- ASCII
  if (wrong !== null) throw new Error(`This cannot be written in ASCII: ${code.slice(Math.max(0, wrong.index - 100), wrong.index + 100)}`)
  // eslint-disable-next-line no-control-regex -- ASCII
  return code.replaceAll(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Writes a file that is started by its name: a program, or the entry of a thread, which exports a function. */
function writeEntry (path, chunk) {
  mkdirSync(join(out, dirname(path)), { recursive: true })
  writeFileSync(
    join(out, path), `module.exports = require(${JSON.stringify(from(path, 'loader.js'))}).load(${JSON.stringify(`chunks/${chunk}`)})\n`
  )
}

/** Returns the relative path from one file to another. */
function from (path, other) {
  const way = relative(dirname(path), other)
  return way.startsWith('.') ? way : `./${way}`
}
