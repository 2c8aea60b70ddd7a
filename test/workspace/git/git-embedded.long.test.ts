import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import git from 'isomorphic-git'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { createEmbeddedGit, embeddedGitVersion } from '../../../services/workspace/git/embedded/engine.js'
import { createWorkers } from '../../../services/ground/workers/index.js'
import { kinds } from '../../../services/threads/kinds.js'
import { start } from '../../support/app.js'
import { gitEngineSuite, type Ability } from '../../support/git-engine/index.js'
import { emptyRepository, gitScratch, needsGit, smallRepository } from '../../support/git-repository.js'

t.setTimeout(300_000)
const workers = createWorkers({ kinds })
t.teardown(() => workers.close())
const createEngine = () => createEmbeddedGit({ workers, home: () => process.env.HOME ?? null })

t.equal(embeddedGitVersion, git.version())

gitEngineSuite(t, 'isomorphic-git', createEngine(), new Set<Ability>(['conflicts', 'modes']))

t.test('pipes in place of files do not block', needsGit, async (t) => {
  const { root, git: run, write } = smallRepository(t)
  write('x.txt', 'x\n')
  run('add', 'x.txt')
  run('pack-refs', '--all')
  const engine = createEngine()
  const head = join('.git', run('symbolic-ref', 'HEAD'))
  const ofGit = ['info/exclude', 'logs/refs/stash', 'packed-refs', 'index', 'config', 'HEAD'].map((name) => `.git/${name}`)
  for (const place of [head, '.gitignore', '.gitattributes', 'x.txt', ...ofGit]) {
    const path = join(root, place)
    rmSync(path, { force: true })
    mkdirSync(join(path, '..'), { recursive: true })
    execFileSync('mkfifo', [path])
    const read = Promise.allSettled([
      engine.status(root), engine.stashes(root), engine.log(root, { limit: 5, offset: 0 }), engine.stage(root, ['x.txt']).then(() => engine.commit(root, 'x'))
    ])
    const outcome = await Promise.race([read, delay(20_000, 'blocked', { ref: false })])
    t.not(outcome, 'blocked', place)
    // Writers end the reads, so that the test ends too.
    if (outcome === 'blocked') execFile('timeout', ['5', 'sh', '-c', 'while : > "$0"; do sleep 0.1; done', path], () => {})
  }
})

t.test('what it would get wrong is left alone', needsGit, async (t) => {
  const engine = createEngine()
  const { root, git: run, write } = smallRepository(t)
  const missing = { name: 'Unavailable', code: 'missing_git' }
  const settings = [['core.sparseCheckout', 'true'], ['extensions.worktreeConfig', 'true'], ['core.worktree', '/tmp'], ['include.path', '/dev/null']] as const
  for (const [key, value] of settings) {
    execFileSync('git', ['config', '--file', join(root, '.git/config'), key, value])
    await t.rejects(engine.info(root), missing, key)
    execFileSync('git', ['config', '--file', join(root, '.git/config'), '--unset', key])
  }
  write('.gitattributes', '*.txt filter=lfs eol=crlf\n')
  write('x.txt', 'x\n')
  await t.rejects(engine.stage(root, ['x.txt']), missing)
  rmSync(join(root, '.gitattributes'))
  writeFileSync(join(root, '.git/index.lock'), '')
  await t.rejects(engine.stage(root, ['x.txt']), { name: 'Conflict', code: 'operation_in_progress' })
  rmSync(join(root, '.git/index.lock'))
  await engine.stage(root, ['x.txt'])
  t.notOk(existsSync(join(root, '.git/index.lock')))
  t.equal(run('diff', '--cached', '--name-only'), 'x.txt', 'git agrees')
  const sha = await engine.commit(root, 'With x')
  t.equal(run('rev-parse', 'HEAD'), sha)
  t.equal(run('status', '--porcelain'), '')
  t.ok(run('fsck').length >= 0)
  writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n')
  write('y.txt', 'y\n')
  await engine.stage(root, ['y.txt'])
  await t.rejects(engine.commit(root, 'y'), missing)
})

t.test('odd repositories are never an error of the service', needsGit, async (t) => {
  const engine = createEngine()
  const scratch = gitScratch(t)
  const { root, write, commitAll } = emptyRepository(join(scratch, 'odd'))
  write('a', '1\n')
  commitAll('One')
  const places: Array<[string, string]> = [['index', 'DIRCxxxx'], ['index', 'garbage that is long enough to be an index, but is none at all'], ['HEAD', 'ref: refs/heads/none\n'], ['HEAD', 'garbage'], ['config', '[[[\n'], ['packed-refs', '\0\0\0']]
  for (const [name, text] of places) {
    const copy = join(scratch, `copy-${places.findIndex((entry) => entry[1] === text)}`)
    execFileSync('cp', ['-r', root, copy])
    writeFileSync(join(copy, '.git', name), text)
    for (const work of [() => engine.status(copy), () => engine.branches(copy), () => engine.log(copy, { limit: 5, offset: 0 }), () => engine.diff(copy, 'a', 'unstaged')]) {
      await work().then(() => {}, (error: Error) => t.match(error.name, /^(?:Invalid|Unavailable|Conflict)$/, `${name} ${text.slice(0, 10)} ${error.message}`))
    }
  }
})

t.test('a service on a machine without git', needsGit, async (t) => {
  const { PATH } = process.env
  const service = await start(t)
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'no-git-')))
  t.teardown(() => {
    process.env.PATH = PATH
    rmSync(scratch, { recursive: true, force: true })
  })
  const run = (...args: string[]) => execFileSync('git', ['-c', 'init.defaultBranch=main', '-c', 'user.name=Ann', '-c', 'user.email=a@b.c', ...args], { cwd: service.workspace, encoding: 'utf8', env: { ...process.env, PATH } })
  run('init', '-q')
  writeFileSync(join(service.workspace, 'a.txt'), 'one\n')
  run('add', '.')
  run('commit', '-qm', 'First')
  run('config', 'user.name', 'Ann')
  run('config', 'user.email', 'a@b.c')
  writeFileSync(join(service.workspace, 'a.txt'), 'two\n')
  mkdirSync(join(scratch, 'bin'))
  process.env.PATH = join(scratch, 'bin')
  t.match((await service.get('/api/system/health')).body.git, { engine: 'isomorphic-git', version: embeddedGitVersion })
  const id = await service.newSession()
  t.match((await service.get(`/api/git-info?session_id=${id}`)).body, { git: { branch: 'main', dirty: 1, modified: 1, untracked: 0, ahead: 0, behind: 0, is_git: true } })
  t.match((await service.get(`/api/git/status?session_id=${id}`)).body.git, { is_git: true, files: [{ path: 'a.txt', status: 'M', unstaged: true, additions: 1, deletions: 1 }] })
  t.match((await service.get(`/api/git/diff?session_id=${id}&path=a.txt`)).body.diff, { kind: 'unstaged', diff: /-one\n\+two/ })
  t.match(await service.post('/api/git/stage', { session_id: id, paths: ['a.txt'] }), { status: 200, body: { git: { totals: { staged: 1 } } } })
  t.match(await service.post('/api/git/commit', { session_id: id, message: 'Second' }), { status: 200, body: { ok: true, commit: /^[0-9a-f]{40}$/ } })
  for (const action of ['fetch', 'pull', 'push']) t.match(await service.post(`/api/git/${action}`, { session_id: id }), { status: 503, body: { code: 'missing_git', error: /needs git, which is not installed/ } }, action)
  t.match((await service.get(`/api/git/log?session_id=${id}`)).body.commits.map((commit: { subject: string }) => commit.subject), ['Second', 'First'])
  process.env.PATH = PATH
  t.equal(run('status', '--porcelain'), '')
})
