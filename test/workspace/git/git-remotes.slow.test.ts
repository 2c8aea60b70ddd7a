import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { freePort } from '../../support/listening.js'
import { type Answer, start } from '../../support/app.js'
import { temporaryFolder } from '../../support/folder.js'
import { startGitServer } from '../../support/git-http.js'
import { needsGit } from '../../support/git-repository.js'
import { hereOnly } from '../../support/programs.js'
import { tries } from '../../support/tries.js'

const root = temporaryFolder(t, 'git-remotes')
const home = join(root, 'home')
mkdirSync(home)
// The user's settings are the test's, not those of the person who runs it.
process.env.HOME = home
delete process.env.XDG_CONFIG_HOME
writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n')

function git (folder: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'core.hooksPath=/dev/null', ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1' } }).trim()
}

function write (folder: string, name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

function commit (folder: string, name: string, text: string): string {
  write(folder, name, text)
  git(folder, 'add', '--all')
  git(folder, 'commit', '-qm', `${name}: ${text.trim()}`)
  return git(folder, 'rev-parse', 'HEAD')
}

t.setTimeout(300_000)
let count = 0

if (needsGit.skip === undefined) {
  const service = await start(t)
  const server = await startGitServer(t, join(root, 'served'))

  interface Place { id: string, folder: string, bare: string, name: string, other: string, post (action: string): Promise<Answer> }

  /** Creates a session on a clone of a bare repository with one commit, and a second clone of it. */
  async function place ({ local = false } = {}): Promise<Place> {
    const name = `r${++count}.git`
    const bare = join(root, 'served', name)
    mkdirSync(bare, { recursive: true })
    git(bare, 'init', '-q', '--bare')
    git(bare, 'config', 'http.receivepack', 'true')
    const other = join(root, `other-${count}`)
    git(root, 'clone', '-q', bare, other)
    commit(other, 'a.txt', 'one\n')
    git(other, 'push', '-q', 'origin', 'main')
    const folder = join(service.workspace, `clone-${count}`)
    // Cloned from the folder, because the server is in this process, which must not block on it.
    git(root, 'clone', '-q', bare, folder)
    if (!local) git(folder, 'remote', 'set-url', 'origin', server.url(name))
    const id = await service.newSession({ workspace: folder })
    return { id, folder, bare, name, other, post: async (action) => await service.post(`/api/git/${action}`, { session_id: id }) }
  }

  t.beforeEach(() => {
    server.admit = null
    server.refuse = null
    server.seen = []
  })

  for (const local of [false, true]) {
    t.test(`fetch, pull and push ${local ? 'in a folder' : 'over http'}`, { long: local }, async (t) => {
      const { folder, bare, other, post } = await place({ local })
      t.match(await post('fetch'), { status: 200, body: { ok: true, message: 'Nothing new at origin', status: { is_git: true, ahead: 0, behind: 0 } } })
      git(other, 'checkout', '-qb', 'topic')
      git(other, 'push', '-q', 'origin', 'topic')
      git(other, 'checkout', '-q', 'main')
      const second = commit(other, 'b.txt', 'two\n')
      git(other, 'push', '-q', 'origin', 'main')
      t.match((await post('fetch')).body, { message: 'Fetched from origin: 2 references changed', status: { behind: 1 }, git: { behind: 1 } })
      t.match((await post('pull')).body, { ok: true, message: 'Moved forward by 1 commit to origin/main', status: { ahead: 0, behind: 0 } })
      t.equal(git(folder, 'rev-parse', 'HEAD'), second)
      t.equal(readFileSync(join(folder, 'b.txt'), 'utf8'), 'two\n')
      t.match((await post('pull')).body, { message: 'Already up to date with origin/main' })
      git(other, 'push', '-q', 'origin', ':topic')
      await post('fetch')
      t.equal(git(folder, 'branch', '--remotes', '--list', 'origin/topic'), '', 'what is gone there is forgotten')

      const third = commit(folder, 'c.txt', 'three\n')
      t.match((await post('push')).body, { ok: true, message: 'Pushed main to origin', status: { ahead: 0 } })
      t.equal(git(bare, 'rev-parse', 'main'), third)
      t.match((await post('push')).body, { message: 'origin has everything already' })
      git(folder, 'checkout', '-qb', 'idea')
      const fourth = commit(folder, 'd.txt', 'four\n')
      t.match((await post('push')).body, { message: 'Pushed idea to origin, which it follows from now on', status: { upstream: 'origin/idea', ahead: 0 } })
      t.equal(git(bare, 'rev-parse', 'idea'), fourth)
    })
  }

  t.test('branches that have gone different ways', async (t) => {
    const { folder, other, bare, post } = await place()
    commit(other, 'a.txt', 'theirs\n')
    git(other, 'push', '-q', 'origin', 'main')
    const own = commit(folder, 'b.txt', 'own\n')
    t.match(await post('push'), { status: 409, body: { code: 'rejected', error: /Pull them first/ } })
    t.match(await post('pull'), { status: 409, body: { code: 'not_fast_forward' } })
    t.equal(git(folder, 'rev-parse', 'HEAD'), own)
    t.equal(git(folder, 'status', '--porcelain'), '', 'nothing was half done')
    t.not(git(bare, 'rev-parse', 'main'), own)
  })

  t.test('changes in the way of a pull stay', { long: true }, async (t) => {
    const { folder, other, post } = await place()
    commit(other, 'a.txt', 'theirs\n')
    commit(other, 'new.txt', 'theirs\n')
    git(other, 'push', '-q', 'origin', 'main')
    const before = git(folder, 'rev-parse', 'HEAD')
    write(folder, 'a.txt', 'mine\n')
    t.match(await post('pull'), { status: 409, body: { code: 'dirty_worktree' } })
    t.equal(readFileSync(join(folder, 'a.txt'), 'utf8'), 'mine\n')
    write(folder, 'a.txt', 'one\n')
    write(folder, 'new.txt', 'mine\n')
    t.match(await post('pull'), { status: 409, body: { code: 'dirty_worktree' } })
    t.equal(readFileSync(join(folder, 'new.txt'), 'utf8'), 'mine\n')
    t.equal(git(folder, 'rev-parse', 'HEAD'), before)
    rmSync(join(folder, 'new.txt'))
    write(folder, 'else.txt', 'mine\n')
    t.match(await post('pull'), { status: 200, body: { message: /Moved forward by 2 commits/ } }, 'what is not in the way does not matter')
  })

  t.test('files that a program would have to unpack', { long: true }, async (t) => {
    const { folder, other, post } = await place()
    const before = git(folder, 'rev-parse', 'HEAD')
    git(folder, 'config', 'filter.large.smudge', 'cat')
    write(other, '.gitattributes', '*.bin filter=large\n')
    commit(other, 'picture.bin', 'pointer\n')
    git(other, 'push', '-q', 'origin', 'main')
    t.match(await post('pull'), { status: 400, body: { code: 'filtered_path', error: /picture\.bin/ } })
    t.same([git(folder, 'rev-parse', 'HEAD'), git(folder, 'status', '--porcelain')], [before, ''])
    git(folder, 'config', '--unset', 'filter.large.smudge')
    t.match(await post('pull'), { status: 200 }, 'nobody would unpack them here')
  })

  t.test('a turn that begins while the remote is asked keeps its work tree', { ...hereOnly, long: true }, async (t) => {
    const { folder, other, post } = await place()
    const before = git(folder, 'rev-parse', 'HEAD')
    const tip = commit(other, 'b.txt', 'two\n')
    git(other, 'push', '-q', 'origin', 'main')
    const { isLive } = service.app.chat
    t.teardown(() => { service.app.chat.isLive = isLive })
    // From the first request to the server on.
    service.app.chat.isLive = () => server.seen.length > 0
    t.match(await post('pull'), { status: 409, body: { code: 'active_stream' } })
    t.same([git(folder, 'rev-parse', 'HEAD'), git(folder, 'rev-parse', 'origin/main')], [before, tip])
    service.app.chat.isLive = isLive
    t.match(await post('pull'), { status: 200, body: { message: /Moved forward by 1 commit/ } })
  })

  t.test('fetching touches no branch of the repository itself', { long: true }, async (t) => {
    const { folder, bare, post } = await place()
    git(folder, 'branch', 'mine')
    git(folder, 'tag', 'own')
    for (const refspec of ['+refs/heads/*:refs/heads/*', 'refs/heads/main:refs/heads/mine', '+refs/*:refs/*', 'refs/heads/main:mine']) {
      git(folder, 'config', 'remote.origin.fetch', refspec)
      for (const action of ['fetch', 'pull', 'push']) t.match(await post(action), { status: 400, body: { code: 'git_failed', error: /remote\.fetch/ } }, `${action} ${refspec}`)
      git(folder, 'rev-parse', '--verify', 'refs/heads/mine')
    }
    git(folder, 'config', 'remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*')
    git(folder, 'config', 'remote.origin.pruneTags', 'true')
    t.match(await post('fetch'), { status: 200 })
    git(folder, 'config', '--add', 'remote.origin.fetch', '+refs/tags/*:refs/tags/*')
    git(bare, 'tag', 'theirs', 'main')
    t.match(await post('fetch'), { status: 200 })
    t.equal(git(folder, 'tag'), 'own\ntheirs', 'tags of its own stay')
  })

  t.test('what a remote refuses', async (t) => {
    const { folder, bare, name, post } = await place()
    const hook = join(bare, 'hooks', 'pre-receive')
    writeFileSync(hook, '#!/bin/sh\necho "main is protected: open a merge request (token ghp_abcdefghijklmnopqrstuvwxyz0123456789)" >&2\nexit 1\n')
    chmodSync(hook, 0o755)
    const tip = git(bare, 'rev-parse', 'main')
    commit(folder, 'b.txt', 'two\n')
    const refused = await post('push')
    t.match(refused, { status: 409, body: { code: 'rejected', error: /main is protected: open a merge request/ } })
    t.notMatch(refused.text, /ghp_|\/tmp/)
    t.equal(git(bare, 'rev-parse', 'main'), tip)
    rmSync(hook)

    server.refuse = 403
    t.match(await post('push'), { status: 409, body: { code: 'rejected' } })
    t.match(await post('fetch'), { status: 400, body: { code: 'auth_failed' } })
    server.refuse = 500
    t.match(await post('fetch'), { status: 400, body: { code: 'network_failed' } })
    server.refuse = 404
    t.match(await post('fetch'), { status: 400, body: { code: 'git_failed' } })
    server.refuse = null
    server.admit = 'ann:secret-password'
    const unknown = await post('fetch')
    t.match(unknown, { status: 400, body: { code: 'auth_failed' } })
    git(folder, 'remote', 'set-url', 'origin', server.url(name, 'ann:wrong-password'))
    const wrong = await post('push')
    t.match(wrong, { status: 400, body: { code: 'auth_failed' } })
    t.notMatch(wrong.text + unknown.text, /wrong-password|127\.0\.0\.1/)
    git(folder, 'remote', 'set-url', 'origin', server.url(name, 'ann:secret-password'))
    t.match(await post('push'), { status: 200 })
  })

  t.test("the user's own credential helper is asked", { long: true }, async (t) => {
    const { post } = await place()
    server.admit = 'ann:from-helper'
    const helper = join(home, 'helper.sh')
    writeFileSync(helper, '#!/bin/sh\n[ "$1" = get ] && printf "username=ann\\npassword=from-helper\\n"\nexit 0\n')
    chmodSync(helper, 0o755)
    git(home, 'config', '--global', 'credential.helper', helper)
    t.match(await post('fetch'), { status: 200 })
    git(home, 'config', '--global', '--unset', 'credential.helper')
    t.match(await post('fetch'), { status: 400, body: { code: 'auth_failed' } })
  })

  t.test('remotes that are not there', { long: true }, async (t) => {
    const { folder, post } = await place()
    const port = await freePort()
    const table: Array<[url: string, code: string]> = [
      [`http://127.0.0.1:${port}/x.git`, 'network_failed'], ['http://no-such-host.invalid/x.git', 'network_failed'],
      [`ssh://git@127.0.0.1:${port}/x.git`, 'network_failed'], [join(root, 'nowhere'), 'git_failed'], [`file://${root}/nowhere`, 'git_failed'],
      ['git://127.0.0.1/x.git', 'git_failed'], ['-u secretpw', 'git_failed'], ["x'y secretpw", 'git_failed'], ['ssh://-u secretpw/x', 'git_failed'], ['ext::sh -c touch% /tmp/never', 'git_failed'], ['ftp://127.0.0.1/x', 'git_failed'], ['-oProxyCommand=touch', 'git_failed']
    ]
    for (const [url, code] of table) {
      git(folder, 'config', 'remote.origin.url', url)
      for (const action of ['fetch', 'push', 'pull']) {
        const answer = await post(action)
        t.match(answer, { status: 400, body: { code } }, `${action} ${url} ${answer.text}`)
        t.notMatch(answer.text, /secretpw/)
        t.notOk(answer.text.includes(root), 'no path of the machine')
      }
    }
  })

  t.test('without a remote or a branch', { long: true }, async (t) => {
    const { folder, post } = await place()
    git(folder, 'checkout', '-q', '--detach')
    t.match(await post('push'), { status: 400, body: { code: 'git_failed', error: /No branch/ } })
    t.match(await post('pull'), { status: 400, body: { code: 'git_failed' } })
    t.match(await post('fetch'), { status: 200 })
    git(folder, 'checkout', '-qb', 'alone')
    t.match(await post('pull'), { status: 400, body: { code: 'no_upstream' } })
    git(folder, 'checkout', '-q', '--track', '-b', 'renamed', 'origin/main')
    t.match(await post('push'), { status: 400, body: { error: /another name/ } })
    git(folder, 'remote', 'rename', 'origin', 'elsewhere')
    git(folder, 'checkout', '-q', 'alone')
    t.match(await post('push'), { status: 400, body: { code: 'no_upstream' } })
    t.match(await post('fetch'), { status: 200, body: { message: /elsewhere/ } }, 'the only one there is')
    git(folder, 'remote', 'remove', 'elsewhere')
    for (const action of ['fetch', 'pull', 'push']) t.match(await post(action), { status: 400, body: { code: 'no_upstream' } }, action)

    const empty = join(service.workspace, 'unborn')
    mkdirSync(empty)
    git(empty, 'init', '-q')
    const { bare } = await place()
    git(empty, 'remote', 'add', 'origin', bare)
    git(empty, 'config', 'branch.main.remote', 'origin')
    git(empty, 'config', 'branch.main.merge', 'refs/heads/main')
    const id = await service.newSession({ workspace: empty })
    t.match(await service.post('/api/git/push', { session_id: id }), { status: 400 })
    t.match(await service.post('/api/git/pull', { session_id: id }), { status: 200, body: { message: 'Now at origin/main' } })
    t.equal(readFileSync(join(empty, 'a.txt'), 'utf8'), 'one\n')
  })

  t.test('a hostile repository runs nothing', async (t) => {
    const marker = join(root, 'marker')
    const touch = `touch ${marker}`
    const script = join(root, 'evil.sh')
    writeFileSync(script, `#!/bin/sh\n${touch}\nexit 1\n`)
    chmodSync(script, 0o755)
    const settings: Array<[name: string, entries: Array<[string, string]>, works: boolean, url?: 'local' | 'ssh']> = [
      ['credential helper', [['credential.helper', `!${touch};`], ['credential.http://127.0.0.1.helper', `!${touch};`], ['core.askPass', script]], true],
      ['ssh command', [['core.sshCommand', script], ['ssh.variant', 'simple']], false, 'ssh'],
      ['upload and receive pack', [['remote.origin.uploadpack', `${script};`], ['remote.origin.receivepack', `${script};`]], true, 'local'],
      ['remote helper', [['remote.origin.vcs', 'ext'], ['protocol.ext.allow', 'always']], false],
      ['rewritten address', [['url.ext::sh -c touch% .insteadOf', 'http://'], ['protocol.allow', 'always']], false],
      ['rewritten push address', [['url.ext::sh -c touch% .pushInsteadOf', 'http://'], ['protocol.allow', 'always']], false],
      ['hooks', [['core.hooksPath', join(root, 'hooks')]], true],
      ['signed push', [['push.gpgSign', 'true'], ['gpg.program', script], ['gpg.format', 'openpgp'], ['commit.gpgSign', 'true']], true],
      ['file monitor', [['core.fsmonitor', script]], true],
      ['alternates', [['core.alternateRefsCommand', script]], true, 'local'],
      ['proxy command', [['core.gitProxy', script]], true],
      ['merge signatures', [['merge.verifySignatures', 'true'], ['gpg.program', script], ['merge.ff', 'false'], ['branch.main.mergeOptions', '--no-ff --squash']], true],
      ['filters', [['filter.x.smudge', script], ['filter.x.clean', script], ['filter.x.required', 'true'], ['core.attributesFile', join(root, 'attributes')]], false],
      ['weaker certificates', [['http.sslVerify', 'false']], false],
      ['a proxy', [['http.proxy', 'http://127.0.0.1:1']], false],
      ['a proxy for one remote', [['remote.origin.proxy', 'http://127.0.0.1:1']], false],
      ['cookies', [['http.cookieFile', join(root, 'cookies')], ['http.saveCookies', 'true']], false]
    ]
    mkdirSync(join(root, 'hooks'))
    for (const name of ['pre-push', 'post-merge', 'reference-transaction', 'post-checkout', 'pre-auto-gc']) {
      writeFileSync(join(root, 'hooks', name), `#!/bin/sh\n${touch}\n`)
      chmodSync(join(root, 'hooks', name), 0o755)
    }
    writeFileSync(join(root, 'attributes'), '* filter=x\n')
    for (const [what, entries, works, url] of settings.slice(0, tries(50))) {
      const { folder, other, post } = await place({ local: url === 'local' })
      commit(other, 'b.txt', 'two\n')
      git(other, 'push', '-q', 'origin', 'main')
      if (url === 'ssh') git(folder, 'remote', 'set-url', 'origin', 'ssh://git@127.0.0.1:1/x.git')
      if (what === 'credential helper') server.admit = 'ann:nobody'
      for (const name of ['pre-push', 'post-merge', 'reference-transaction']) {
        writeFileSync(join(folder, '.git/hooks', name), `#!/bin/sh\n${touch}\n`)
        chmodSync(join(folder, '.git/hooks', name), 0o755)
      }
      for (const [key, value] of entries) git(folder, 'config', '--add', key, value)
      const answers = [await post('fetch'), await post('pull'), await post('push')]
      t.notOk(existsSync(marker), what)
      t.ok(answers.every(({ status }) => status < 500), what)
      if (what === 'credential helper') t.match(answers[0]!.body, { code: 'auth_failed' }, what)
      else if (works) t.same(answers.map(({ status }) => status), [200, 200, 200], `${what} ${answers.map(({ text }) => text).join()}`)
      else t.ok(answers.some(({ status }) => status === 400), what)
      server.admit = null
      rmSync(marker, { force: true })
    }
    t.notOk(existsSync(join(root, 'cookies')))
  })

  t.test("another repository's hooks do not run, and are not passed over either", { long: true }, async (t) => {
    const { folder, bare, post } = await place({ local: true })
    const marker = join(root, 'marker')
    commit(folder, 'b.txt', 'two\n')
    const tip = git(bare, 'rev-parse', 'main')
    for (const name of ['pre-receive', 'post-receive', 'post-update']) {
      const hook = join(bare, 'hooks', name)
      writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\n`)
      chmodSync(hook, 0o755)
      t.match(await post('push'), { status: 409, body: { code: 'rejected', error: /hooks/ } }, name)
      rmSync(hook)
    }
    const elsewhere = join(root, 'their-hooks')
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'update'), `#!/bin/sh\ntouch ${marker}\n`)
    chmodSync(join(elsewhere, 'update'), 0o755)
    git(bare, 'config', 'core.hooksPath', elsewhere)
    t.match(await post('push'), { status: 409, body: { code: 'rejected' } })
    t.equal(git(bare, 'rev-parse', 'main'), tip)
    git(bare, 'config', '--unset', 'core.hooksPath')
    t.match(await post('push'), { status: 200 })
    t.notOk(existsSync(marker))
  })

  t.test('nothing of the service reaches a remote', { long: true }, async (t) => {
    const { folder, name, post } = await place()
    process.env.OPENAI_API_KEY = 'sk-of-the-service-0123456789'
    t.teardown(() => { delete process.env.OPENAI_API_KEY })
    const script = join(root, 'show-environment.sh')
    const shown = join(root, 'environment')
    writeFileSync(script, `#!/bin/sh\nenv > ${shown}\nexit 1\n`)
    chmodSync(script, 0o755)
    server.admit = 'ann:nobody'
    git(home, 'config', '--global', 'credential.helper', script)
    await post('fetch')
    git(home, 'config', '--global', '--unset', 'credential.helper')
    t.ok(existsSync(shown))
    t.notMatch(readFileSync(shown, 'utf8'), /OPENAI|SVC_/)
    t.ok(server.url(name).startsWith('http://') && existsSync(folder))
  })
} else t.test('remotes', needsGit, async () => {})
