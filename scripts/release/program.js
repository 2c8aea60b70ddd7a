// The program, and nothing else: the build, and the packages that are not part of it, as they are installed here.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, relative, sep } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { compiledFolder } from '../builds.js'
import { freePort } from '../free-port.js'
import { packagesOf } from '../packages.js'

const startLimitMs = 60_000
/** Files of packages with native code that are only needed to compile it, and those compiled for other machines. */
const sources = /^(?:deps|src)(?:\/|$)/
const addOn = /^prebuilds\/(?<platform>[a-z0-9]+?)(?:musl)?-(?<arch>\w+)\.node$/
/** Files that no program reads. */
const unread = /\.(?:map|d\.[cm]?ts)$/
/** Files that belong to this folder of builds only: what its builds need, and what the engine has compiled here. */
const ofThisFolder = new Set([compiledFolder, 'held.db', '.stamp', '.packages.json'])

/**
 * Writes the program with its packages to a folder, and starts it there once with `node`: this proves that nothing is missing, and leaves
 * the engine's compiled code beside it (services/ground/loader.ts), for folders that are read-only later.
 */
export async function writeProgram (folder, { build, kind, node = process.execPath }) {
  copyBuild(folder, { build, kind })
  const packages = packagesOf(build)
  for (const path of packages) copyPackage(path, folder)
  console.log(`${packages.length} packages, ${Math.round(sizeOf(folder) / 1024 / 1024)} MB`)
  await startOnce(folder, node)
}

/** Copies a build, with the licences. `kind`: how its users got it (services/areas/updates/installation.ts). */
export function copyBuild (folder, { build, kind }) {
  mkdirSync(folder, { recursive: true })
  cpSync(build, join(folder, 'dist'), { recursive: true, filter: (path) => !ofThisFolder.has(basename(path)) })
  cpSync('LICENSE', join(folder, 'LICENSE'))
  cpSync(join(build, 'web/built/THIRD-PARTY-NOTICES.txt'), join(folder, 'THIRD-PARTY-NOTICES.txt'))
  writeFileSync(join(folder, 'distribution.json'), `${JSON.stringify({ kind })}\n`)
}

function copyPackage (path, folder) {
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
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

async function startOnce (folder, node) {
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
  // The same options as in the image and in npm start: code compiled with other options is useless to them.
  const service = spawn(node, ['--max-semi-space-size=4', join(folder, 'dist/server.js')], {
    cwd: home, env: environment, stdio: ['ignore', 'inherit', 'inherit']
  })
  const gone = once(service, 'exit')
  try {
    const until = Date.now() + startLimitMs
    for (const path of ['/health', '/docs/json', '/docs/static/swagger-ui.css', '/static/app/THIRD-PARTY-NOTICES.txt', '/login']) {
      while (await statusOf(`http://127.0.0.1:${port}${path}`) !== 200) {
        if (service.exitCode !== null || Date.now() > until) throw new Error(`The service does not answer ${path} from ${folder}`)
        await delay(50)
      }
    }
    while (!kept(folder).some((name) => /^server-/.test(name)) || !kept(folder).some((name) => /^main-/.test(name))) {
      if (service.exitCode !== null || Date.now() > until) throw new Error('What was compiled has not been kept')
      await delay(50)
    }
  } finally {
    service.kill('SIGTERM')
    await gone
    rmSync(home, { recursive: true, force: true })
  }
}

function kept (folder) {
  const all = join(folder, 'dist', compiledFolder)
  return existsSync(all) ? readdirSync(all, { recursive: true }).map((path) => path.split(sep).at(-1)) : []
}

async function statusOf (address) {
  return await fetch(address).then(async (answer) => {
    await answer.arrayBuffer()
    return answer.status
  }, () => 0)
}
