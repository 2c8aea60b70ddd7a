// node scripts/release.js <folder>: puts what runs, and nothing else, into a new folder: the build, and the packages that are not part
// of it, as they are installed here. Then starts the service from there once, which proves that nothing is missing and leaves
// what the engine compiled beside it (services/ground/loader.ts), for folders that cannot be written later.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { compiledFolder, currentBuild } from './builds.js'

const startLimitMs = 60_000
/** Named as dependencies, but used only to compile. */
const compilers = new Set(['node-addon-api'])
/** What packages with native code bring along to compile it, and what they bring compiled for other machines. */
const sources = /^(?:deps|src)(?:\/|$)/
const addOn = /^prebuilds\/(?<platform>[a-z0-9]+?)(?:musl)?-(?<arch>\w+)\.node$/
/** What no program reads. */
const unread = /\.(?:map|d\.[cm]?ts)$/

const [named] = process.argv.slice(2)
if (named === undefined) fail('Name the folder to make: node scripts/release.js <folder>')
const folder = resolve(named)
if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is there already, and not empty`)
if (!existsSync('dist/server.js')) fail('There is no build: npm run build')

mkdirSync(folder, { recursive: true })
const build = currentBuild('dist')
cpSync(build, join(folder, 'dist'), { recursive: true, filter: (path) => path !== join(build, compiledFolder) })
const packages = packagesOf(build, '.')
for (const path of packages) copyPackage(path)
console.log(`${packages.length} packages, ${Math.round(sizeOf(folder) / 1024 / 1024)} MB`)
await startOnce()

function fail (reason) {
  console.error(reason)
  process.exit(1)
}

/** Folders of the packages that the one in `folder` needs, with theirs; it finds them from `place` upwards. */
function packagesOf (folder, place, found = new Set()) {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (compilers.has(name)) continue
    const path = installed(name, place)
    if (path === undefined && !(name in optionalDependencies)) fail(`${name}, which ${folder} needs, is not installed: npm ci`)
    if (path === undefined || found.has(path)) continue
    found.add(path)
    packagesOf(path, path, found)
  }
  return [...found]
}

function installed (name, place) {
  const path = join(place, 'node_modules', name)
  if (existsSync(join(path, 'package.json'))) return path
  return place === '.' ? undefined : installed(name, dirname(place))
}

function copyPackage (path) {
  const isNative = existsSync(join(path, 'binding.gyp'))
  const filter = (source) => {
    const inside = relative(path, source).split(sep).join('/')
    if (inside === 'node_modules' || unread.test(inside)) return false
    if (!isNative) return true
    const { platform = process.platform, arch = process.arch } = addOn.exec(inside)?.groups ?? {}
    return platform === process.platform && arch === process.arch && !sources.test(inside)
  }
  cpSync(path, join(folder, path), { recursive: true, dereference: true, filter })
}

function sizeOf (path) {
  return readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0)
}

async function startOnce () {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'release-')))
  const port = await freePort()
  const environment = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_HOME: home,
    SVC_WEBUI_DEFAULT_WORKSPACE: join(home, 'workspace'),
    SVC_WEBUI_PROBE_LOCAL: '0',
    SVC_WEBUI_PORT: String(port)
  }
  // The options that the image and npm start have: what is compiled with others is of no use to them.
  const service = spawn(process.execPath, ['--max-semi-space-size=4', join(folder, 'dist/server.js')], {
    cwd: home, env: environment, stdio: ['ignore', 'inherit', 'inherit']
  })
  const gone = once(service, 'exit')
  try {
    const until = Date.now() + startLimitMs
    for (const path of ['/health', '/docs/json', '/docs/static/swagger-ui.css', '/login']) {
      while (await statusOf(`http://127.0.0.1:${port}${path}`) !== 200) {
        if (service.exitCode !== null || Date.now() > until) throw new Error(`The service does not answer ${path} from ${folder}`)
        await delay(50)
      }
    }
    while (!kept().some((name) => /^server-/.test(name)) || !kept().some((name) => /^main-/.test(name))) {
      if (service.exitCode !== null || Date.now() > until) throw new Error('What was compiled has not been kept')
      await delay(50)
    }
  } finally {
    service.kill('SIGTERM')
    await gone
    rmSync(home, { recursive: true, force: true })
  }
}

function kept () {
  const all = join(folder, 'dist', '.compiled')
  return existsSync(all) ? readdirSync(all, { recursive: true }).map((path) => path.split(sep).at(-1)) : []
}

async function statusOf (address) {
  return await fetch(address).then(async (answer) => {
    await answer.arrayBuffer()
    return answer.status
  }, () => 0)
}

async function freePort () {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
