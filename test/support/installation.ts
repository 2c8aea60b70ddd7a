import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestLike } from './app.js'
import { temporaryFolder } from './folder.js'
import { assertSelfContained } from './temporary.js'

/** A server of the same shape as the service: it reports that it is healthy, on the given port. */
const server = `if (process.argv.includes('--check-configuration')) process.exit(0)
const { createServer } = require('node:http')
createServer((_, response) => response.end('{"status":"ok"}')).listen(Number(process.env.SVC_WEBUI_PORT), '127.0.0.1')
`
const build = `const fs = require('node:fs')
fs.mkdirSync('dist', { recursive: true })
fs.copyFileSync('server.js', 'dist/server.js')
fs.writeFileSync('dist/environment.json', JSON.stringify(process.env))
`

/** `change.js` of a version that passes its trial, migrates the database, and then cannot listen. */
export const cannotListen = `const fs = require('node:fs')
fs.renameSync('dist/server.js', 'dist/service.js')
fs.writeFileSync('dist/server.js', "if (!process.argv.includes('--trial')) process.env.SVC_WEBUI_HOST = '192.0.2.1'; process.env.SVC_WEBUI_PASSWORD ??= 'long enough to listen'; require('./service.js')")
const journal = JSON.parse(fs.readFileSync('dist/drizzle/meta/_journal.json', 'utf8'))
const { version, when } = journal.entries.at(-1)
journal.entries.push({ idx: journal.entries.length, version, when: when + 1, tag: '9999_later', breakpoints: true })
fs.writeFileSync('dist/drizzle/meta/_journal.json', JSON.stringify(journal))
fs.writeFileSync('dist/drizzle/9999_later.sql', 'create table later (id integer);')
`

export interface Installation {
  /** The checkout, built. */
  folder: string
  /** Contains everything: the checkout, its remote, and a developer's clone. */
  top: string
  remote: string
  /** Pushes the files of the next version; null removes one. Returns its commit. */
  release (files: Record<string, string | null>, tag?: string): string
  /** Runs git in the checkout. */
  git (...args: string[]): string
  read (path: string): string
  write (path: string, text: string): void
}

const environment = (folder: string) => ({
  PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com', GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.com'
})

/** Creates a checkout of a small project of the same shape as this one, its remote, and a developer's clone. */
export function installation (t: TestLike, top = temporaryFolder(t, 'installation')): Installation {
  return checkout(top, { 'build.js': build, 'server.js': server })
}

/** Creates the same with the built service in it (see {@link builtService}); `change.js` of a version runs at the end of its build. */
export function realInstallation (t: TestLike, program: string): Installation {
  const top = temporaryFolder(t, 'installation')
  assertSelfContained(program)
  const realBuild = `const fs = require('node:fs')
fs.cpSync(${JSON.stringify(join(program, 'dist'))}, 'dist', { recursive: true })
fs.copyFileSync('page.html', 'dist/web/page-of-version.html')
if (fs.existsSync('change.js')) require('./change.js')
`
  const project = checkout(top, { 'build.js': realBuild })
  linkFiles(join(program, 'node_modules'), join(project.folder, 'node_modules'))
  assertSelfContained(top)
  return project
}

/** Makes hard links to the files; nothing writes to them. */
function linkFiles (from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFiles(source, target)
    else linkSync(source, target)
  }
}

/** Copies the built service, with the packages that it needs, to a folder of its own. */
export function builtService (t: TestLike): string {
  const folder = join(temporaryFolder(t, 'program'), 'service')
  execFileSync(process.execPath, ['scripts/release.js', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  assertSelfContained(folder)
  return folder
}

function checkout (top: string, files: Record<string, string>): Installation {
  const [remote, work, folder] = ['remote.git', 'work', 'installed'].map((name) => join(top, name)) as [string, string, string]
  const run = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, env: environment(top), stdio: ['ignore', 'pipe', 'pipe'] }).toString().trim()
  run(top, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
  run(top, 'clone', '--quiet', remote, work)
  const put = (base: string, texts: Record<string, string | null>): void => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(base, path)), { recursive: true })
      if (text === null) rmSync(join(base, path))
      else writeFileSync(join(base, path), text)
    }
  }
  const release = (texts: Record<string, string | null>, tag?: string): string => {
    put(work, texts)
    run(work, 'add', '--all')
    run(work, 'commit', '--quiet', '--message', 'A version')
    if (tag !== undefined) run(work, 'tag', '--annotate', '--message', tag, tag)
    run(work, 'push', '--quiet', 'origin', 'HEAD:main', ...tag === undefined ? [] : [tag])
    return run(work, 'rev-parse', 'HEAD')
  }
  run(work, 'checkout', '--quiet', '-b', 'main')
  release({
    'package.json': JSON.stringify({ name: 'agent-web-service', version: '0.1.0', scripts: { build: 'node build.js' } }),
    'package-lock.json': JSON.stringify({ name: 'agent-web-service', lockfileVersion: 3, requires: true, packages: { '': { name: 'agent-web-service' } } }),
    '.gitignore': 'node_modules\ndist/\n.update/\n',
    'page.html': 'one\n',
    'notes.txt': 'first\n\n\n\n\n\nlast\n',
    ...files
  })
  run(top, 'clone', '--quiet', remote, folder)
  execFileSync(process.execPath, ['build.js'], { cwd: folder })
  if (!existsSync(join(folder, 'dist', 'server.js'))) throw new Error('The installation of the test was not built')
  assertSelfContained(top)
  return {
    folder,
    top,
    remote,
    release,
    git: (...args) => run(folder, ...args),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    write: (path, text) => put(folder, { [path]: text })
  }
}
