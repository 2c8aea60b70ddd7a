// npm run build: builds the app, the site and the service, each only if its sources have changed since the last build (stamps.js), because
// every start of a clone begins with this. May be called from any folder.
import './needs-node.js'
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { currentBuild, filesOfBuild, namesIn } from './builds.js'
import { sources } from './bundle.js'
import { packagesThatDiffer, whatIsMissing } from './installed.js'
import { filesOf, isCurrent, makeCurrent, stampFile } from './stamps.js'
import { noticesFile } from './third-party.js'

const [app, site, dist] = ['web/built', 'site/built', 'dist']

const builds = [
  {
    name: 'app',
    program: ['web/build.js'],
    stamp: join(app, stampFile),
    sources: () => filesOf([
      'web/src', 'web/app.html', 'web/app-icon.js', 'web/browsers.js', 'web/build.js', 'web/package.json', 'web/vite.config.js', 'web/worker', 'clients/typescript/src', 'formulas',
      'reasons', 'schedules', 'scripts/packages.js'
    ]),
    // The notices are added by the service's build.
    outputs: () => without(filesOf([app]), [noticesFile])
  },
  {
    name: 'site',
    program: ['--import', 'tsx', 'site/build.ts'],
    stamp: join(site, stampFile),
    sources: () => without(filesOf([
      'site', 'docs', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'web/src/ui/tokens.css', 'web/static/icon.svg'
    ]), [site]),
    outputs: () => filesOf([site])
  },
  {
    name: 'service',
    program: ['scripts/build-service.js'],
    stamp: join(dist, stampFile),
    sources: () => filesOf([...sources(), join(app, stampFile), join(site, stampFile)]),
    outputs: () => [
      ...filesOf(namesIn(dist).filter((name) => name !== 'builds').map((name) => join(dist, name))), ...buildIn(dist), ...filesOf([noticesFile])
    ]
  }
]

process.chdir(dirname(import.meta.dirname))
const missing = whatIsMissing()
if (missing !== null) end(missing)
for (const { name, program, ...build } of builds) {
  if (isCurrent(build)) continue
  console.log(`Building the ${name} …`)
  makeCurrent(build, () => run(program))
}

function buildIn (dist) {
  const build = currentBuild(dist)
  return build === undefined ? [] : filesOfBuild(build)
}

function run (program) {
  const { status, error } = spawnSync(process.execPath, program, { stdio: 'inherit' })
  if (error !== undefined) throw error
  if (status !== 0) end(packagesThatDiffer() ?? '', status ?? 1)
}

function end (message, status = 1) {
  if (message !== '') console.error(message)
  process.exit(status)
}

/** Returns the files that are neither among `others` nor below them. */
function without (files, others) {
  return files.filter((file) => !others.some((other) => file === other || file.startsWith(`${other}/`)))
}
