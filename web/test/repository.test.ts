import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../test/support/harness.js'
import { Api } from '../src/core/service/api.js'
import { Checkpoints } from '../src/core/conversation/checkpoints.js'
import { Repository } from '../src/core/files/repository.js'
import { filesToCommit, filesWritten } from '../src/core/turn/turn-files.js'
import { newCall } from '../src/core/turn/turn-stored.js'
import { type CallState, type Part } from '../src/core/turn/turn.js'
import { readWorktree, removeWorktree } from '../src/core/sessions/worktree.js'
import { start } from '../../test/support/app.js'
import { eventually, startChat } from '../../test/support/chat.js'
import { needsGit } from '../../test/support/git-repository.js'

t.test('source control: what differs, staged, committed, discarded and taken back, on branches', needsGit, async (t) => {
  const s = await start(t, { hosts: 'inproc' })
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: s.workspace, encoding: 'utf8' }).trim()
  const write = (name: string, text: string): void => writeFileSync(join(s.workspace, name), text)
  const read = (name: string): string => readFileSync(join(s.workspace, name), 'utf8')
  const repository = new Repository(new Api({ origin: s.url }), await s.newSession())
  await repository.look()
  t.equal(repository.presence.value, 'none')
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ann')
  git('config', 'user.email', 'ann@example.org')
  write('a.txt', 'one\n')
  write('b.txt', 'one\n')
  git('add', '.')
  git('commit', '-q', '-m', 'First')
  git('branch', 'other')
  write('a.txt', 'two\n')
  write('b.txt', 'two\n')
  write('c.txt', 'new\n')
  await repository.look()
  t.same([...repository.marks.value], [['a.txt', 'M'], ['b.txt', 'M'], ['c.txt', 'N']])
  t.match((await repository.diff('a.txt', 'unstaged')).diff, '+two')
  await repository.stage(['a.txt'])
  t.same(repository.groups.value.map(({ key, files }) => [key, files.length]), [['staged', 1], ['changes', 2]])
  t.same(repository.toCommit.value, { what: 'staged', count: 1 })
  repository.offer(['b.txt'])
  repository.offer(['b.txt', 'c.txt'])
  t.same([...repository.selected.value], ['b.txt', 'c.txt'])
  repository.select('c.txt', false)
  repository.offer(['b.txt', 'c.txt'])
  t.same([...repository.selected.value], ['b.txt'], 'what was deselected stays so')
  repository.select('b.txt', false)
  t.not((await repository.writeMessage()).message, '')
  const sha = await repository.commit('Second')
  t.equal(git('rev-parse', 'HEAD'), git('rev-parse', sha))
  repository.select('c.txt', true)
  await repository.commit('Third')
  t.equal(git('log', '-1', '--format=%s'), 'Third')
  t.equal(repository.selected.value.size, 0)
  await repository.log.refresh()
  t.same(repository.log.value.value?.commits.map(({ subject }) => subject), ['Third', 'Second', 'First'])
  t.match((await repository.show(repository.log.value.value!.commits[0]!.sha)).diff, '+new')

  await t.rejects(repository.switchTo({ ref: 'other', mode: 'local' }, { stash: false }), { code: 'dirty_worktree' })
  const away = await repository.switchTo({ ref: 'other', mode: 'local' }, { stash: true })
  t.equal(away.stashed, true)
  t.equal(git('branch', '--show-current'), 'other')
  const back = await repository.switchTo({ ref: 'main', mode: 'local' }, { stash: false })
  t.ok(back.restored_stash, 'what was put aside is back')
  t.equal(read('b.txt'), 'two\n')

  write('d.txt', 'fresh\n')
  await repository.look()
  const files = repository.groups.value.flatMap((group) => group.files)
  const kept = await repository.prepareDiscard(files)
  const { undo } = await repository.discard(files, kept)
  t.equal(git('status', '--porcelain'), '')
  await undo!()
  t.equal(read('b.txt'), 'two\n')
  t.equal(read('d.txt'), 'fresh\n')
  const again = await repository.discard(files, await repository.prepareDiscard(files))
  write('b.txt', 'written since\n')
  await t.rejects(again.undo!(), { code: 'changed' }, 'what was written since is not overwritten')
  t.equal(read('b.txt'), 'written since\n')
  write('bytes', '\0')
  await repository.look()
  git('add', 'bytes')
  git('commit', '-q', '-m', 'Bytes')
  write('bytes', '\0\0')
  await repository.look()
  t.equal(await repository.prepareDiscard(repository.groups.value.flatMap((group) => group.files).filter(({ path }) => path === 'bytes')), null, 'what cannot be brought back is said before')

  await repository.switchTo({ ref: 'main', mode: 'new', new_branch: 'mine' }, { stash: true })
  t.equal(git('branch', '--show-current'), 'mine')
  await t.rejects(repository.talk('push'))
  t.equal(repository.doing.value, null)
})

t.test('a service that changes no repository is known as such once it has refused', needsGit, async (t) => {
  const s = await start(t, { hosts: 'inproc', env: { SVC_WEBUI_GIT_READONLY: '1' } })
  execFileSync('git', ['init', '-q'], { cwd: s.workspace })
  writeFileSync(join(s.workspace, 'a.txt'), 'x')
  const repository = new Repository(new Api({ origin: s.url }), await s.newSession())
  await repository.look()
  t.equal(repository.readOnly.value, false)
  await t.rejects(repository.stage(['a.txt']), { code: 'destructive_git_disabled' })
  t.equal(repository.readOnly.value, true)
})

t.test('what a turn has written can be looked at, put back, and that taken back', { ...needsGit, long: true }, async (t) => {
  const s = await startChat(t)
  const model = s.model([{ tool: 'write_file', args: { path: 'plan.txt', content: 'new plan\n' } }], [{ text: 'Written.' }])
  const sessionId = await s.newSession({ model, model_provider: 'openai' })
  await s.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  writeFileSync(join(s.workspace, 'plan.txt'), 'old plan\n')
  const plan = (): string => readFileSync(join(s.workspace, 'plan.txt'), 'utf8')
  await s.send(sessionId, 'Plan anew')
  const checkpoints = new Checkpoints(new Api({ origin: s.url }), sessionId)
  await eventually('the end of the turn', async () => (await s.session(sessionId)).messages.some(({ content }: { content: unknown }) => content === 'Written.'))
  await checkpoints.list.refresh()
  const [point] = checkpoints.list.value.value!
  t.match(point, { state: 'ready', title: 'Plan anew' })
  const { diff, files_changed: files } = await checkpoints.diff(point!.id)
  t.match(diff, '+new plan')
  t.equal(files[0]?.file, 'plan.txt')
  let safety: string | null = null
  await eventually('the folder to be free', async () => {
    safety = (await checkpoints.restore(point!.id, { paths: ['plan.txt'] }).catch(() => null))?.safety_checkpoint ?? null
    return safety !== null
  })
  t.equal(plan(), 'old plan\n')
  await checkpoints.restore(safety!)
  t.equal(plan(), 'new plan\n')
})

t.test('a turn: exactly the files that it has written are committed, whatever else is selected or staged', needsGit, async (t) => {
  const s = await start(t, { hosts: 'inproc' })
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: s.workspace, encoding: 'utf8' }).trim()
  const write = (name: string, text: string): void => writeFileSync(join(s.workspace, name), text)
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Ann')
  git('config', 'user.email', 'ann@example.org')
  for (const name of ['a.txt', 'mine.txt', 'staged.txt']) write(name, 'one\n')
  git('add', '.')
  git('commit', '-q', '-m', 'First')
  for (const name of ['a.txt', 'mine.txt', 'staged.txt']) write(name, 'two\n')
  mkdirSync(join(s.workspace, 'new'))
  write('new/b.txt', 'new\n')
  write('new/other.txt', 'new\n')
  git('add', 'staged.txt')
  // A hook is never run.
  writeFileSync(join(s.workspace, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch ran\nexit 1\n', { mode: 0o755 })

  const call = (name: string, path: unknown, state: CallState = 'done'): Part => ({ ...newCall('', '', name, { path }), state })
  const parts = [call('write_file', './a.txt'), call('edit_file', 'new/../new/b.txt'), call('edit_file', join(s.workspace, 'a.txt')), call('read_file', 'mine.txt'), call('write_file', 'staged.txt', 'failed'),
    call('write_file', '../elsewhere.txt'), call('write_file', '/etc/x'), call('write_file', 5), call('write_file', 'gone.txt')]
  const paths = filesWritten(parts, s.workspace)
  t.same(paths, ['a.txt', 'new/b.txt', 'gone.txt'])

  const repository = new Repository(new Api({ origin: s.url }), await s.newSession())
  t.same(filesToCommit(repository.status.value, paths), [])
  await repository.look()
  repository.select('mine.txt', true)
  const files = filesToCommit(repository.status.value, paths)
  t.same(files.map(({ path }) => path), ['a.txt', 'new/b.txt'])
  t.match((await repository.writeMessageFor(files)).message, /\S/)
  const sha = await repository.commitFiles('What the turn did', files)
  t.equal(git('rev-parse', 'HEAD'), git('rev-parse', sha))
  t.same(git('show', '--name-only', '--format=').split('\n'), ['a.txt', 'new/b.txt'])
  t.same(git('status', '--porcelain', '-uall').split('\n').map((line) => line.trim()), ['M mine.txt', 'M  staged.txt', '?? new/other.txt'])
  t.same([...repository.selected.value], ['mine.txt'])
  await repository.look()
  t.same(filesToCommit(repository.status.value, paths), [])
  await t.rejects(repository.commitFiles('Again', files), { code: 'nothing_to_commit' })
})

t.test('a worktree: how it stands, what keeps it from being removed, and the way on when its folder is gone', { ...needsGit, long: true }, async (t) => {
  const s = await start(t, { hosts: 'inproc' })
  const git = (cwd: string, ...args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8' }).trim()
  git(s.workspace, 'init', '-q', '-b', 'main')
  git(s.workspace, 'config', 'user.name', 'Ann')
  git(s.workspace, 'config', 'user.email', 'ann@example.org')
  git(s.workspace, 'commit', '-q', '--allow-empty', '-m', 'First')
  const api = new Api({ origin: s.url })
  const open = async (): Promise<{ id: string, path: string }> => {
    const { session } = await api.post('/api/session/new', { worktree: true })
    return { id: session.session_id, path: session.worktree_path! }
  }
  t.match(await readWorktree(api, await s.newSession()), { has_worktree: false })

  const busy = await open()
  t.match(await readWorktree(api, busy.id), { has_worktree: true, exists: true, branch: `agent/${busy.id}`, dirty_files: 0, untracked_files: 0, ahead: 0, merged: true })
  writeFileSync(join(busy.path, 'new.txt'), 'x')
  t.match(await removeWorktree(api, busy.id, { force: false }), { isRemoved: false, refused: 'changes', message: String })
  git(busy.path, 'add', '.')
  git(busy.path, 'commit', '-q', '-m', 'Work')
  t.match(await readWorktree(api, busy.id), { ahead: 1, merged: false })
  t.match(await removeWorktree(api, busy.id, { force: false }), { isRemoved: false, refused: 'commits' })
  t.same(await removeWorktree(api, busy.id, { force: true }), { isRemoved: true, isBranchDeleted: false })
  t.equal(git(s.workspace, 'log', '-1', '--format=%s', `agent/${busy.id}`), 'Work')
  t.match((await s.session(busy.id)), { worktree_path: null, workspace: s.workspace })

  const gone = await open()
  rmSync(gone.path, { recursive: true })
  t.match(await readWorktree(api, gone.id), { has_worktree: true, exists: false })
  t.match(await removeWorktree(api, gone.id, { force: false }), { isRemoved: true })
  t.equal((await s.session(gone.id)).workspace, s.workspace)
  await t.rejects(removeWorktree(api, gone.id, { force: false }), { status: 400 } as unknown as Error)
})
