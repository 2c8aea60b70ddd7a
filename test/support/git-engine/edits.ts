import { mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository, smallRepository } from '../git-repository.js'
import { type EngineSuite } from './suite.js'

/** Tests what an engine stages, unstages and discards. */
export function editsSuite ({ t, engine, name, needs, can, files, brief }: EngineSuite): void {
  t.test(`${name}: names of every kind go through every operation`, needs(), async (t) => {
    const { root, git, write, has } = smallRepository(t)
    const plain = ['with space', ' leading', 'quo"te', "apo'strophe", 'tab\there', '-rf', '--help', '[a]', ':(exclude)a', ':/x', ':!x', 'ünï→', '#', '$(touch x)', 'dir/ö "x"']
    const names = !can('names') ? plain : ['with space', 'trailing ', ' leading', 'quo"te', "apo'strophe", 'back\\slash', 'line\nbreak', 'tab\there', '-rf', '--help', '*', '[a]', ':(exclude)a', ':/x', ':!x', 'ünï→', '#', '$(touch x)', 'dir/ö "x"\n']
    for (const each of names) write(each, 'one\n')
    t.same((await files(root)).map(({ path }) => path).sort(), [...names].sort())
    for (const each of names) t.match(await engine.diff(root, each, 'unstaged'), { path: each, additions: 1, diff: /^diff --git [^]*new file mode 100644\n[^]*\+one\n/ }, JSON.stringify(each))
    for (const each of names) {
      await engine.stage(root, [each])
      t.same((await files(root)).filter(({ staged }) => staged).map(({ path }) => path), [each], JSON.stringify(each))
      t.match(await engine.diff(root, each, 'staged'), { additions: 1, diff: /\+one\n/ }, JSON.stringify(each))
      await engine.unstage(root, [each])
    }
    if (can('selected')) {
      t.same(new Set((await engine.commitSelected(root, 'All', names)).paths), new Set(names))
    } else {
      await engine.stage(root, names)
      await engine.commit(root, 'All')
    }
    t.same(await brief(root), [])
    for (const each of names) write(each, 'two\n')
    for (const each of names) t.match(await engine.diff(root, each, 'unstaged'), { additions: 1, deletions: 1 }, JSON.stringify(each))
    if (!can('discard')) return
    await engine.discard(root, ['*', ':(exclude)a'], { deleteUntracked: true })
    t.equal((await files(root)).length, names.length - 2, 'no name is a pattern')
    await engine.discard(root, names, { deleteUntracked: false })
    t.same(await brief(root), [])
    git('rm', '--quiet', '--cached', '-r', '--', '.')
    await engine.discard(root, names, { deleteUntracked: true })
    for (const each of names) t.notOk(has(each), JSON.stringify(each))
    t.ok(has('a'))
  })

  t.test(`${name}: paths stay inside of the folder`, needs(), async (t) => {
    const { root, write, read, git } = smallRepository(t)
    const outside = join(root, '..', 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret'), 'secret\n')
    symlinkSync(outside, join(root, 'link'))
    symlinkSync(join(outside, 'secret'), join(root, 'to-secret'))
    const folder = join(root, 'dir')
    write('a', 'changed\n')
    for (const path of ['../a', '/etc/passwd', join(outside, 'secret'), 'x/../../a', '.git/config', '.GIT/config']) {
      const refused = { name: 'Invalid', code: 'path_outside_workspace' }
      await t.rejects(engine.diff(folder, path, 'unstaged'), refused, path)
      await t.rejects(engine.stored(folder, path, 'head'), refused, path)
      await t.rejects(engine.stage(folder, [path]), refused, path)
      await t.rejects(engine.unstage(folder, ['b', path]), refused, path)
      if (can('discard')) await t.rejects(engine.discard(folder, [path], { deleteUntracked: true }), refused, path)
      if (can('selected')) await t.rejects(engine.commitSelected(folder, 'x', [path]), refused, path)
      await t.rejects(engine.changesToDescribe(folder, [path]), refused, path)
    }
    for (const path of ['link/secret', 'link/x']) {
      await t.rejects(engine.diff(root, path, 'unstaged'), { code: 'path_outside_workspace' })
      await t.rejects(engine.stored(root, path, 'index'), { code: 'path_outside_workspace' })
      await t.rejects(engine.stage(root, [path]), { code: 'path_outside_workspace' })
      if (can('discard')) await t.rejects(engine.discard(root, [path], { deleteUntracked: true }), { code: 'path_outside_workspace' })
    }
    const shown = await engine.diff(root, 'to-secret', 'unstaged')
    t.match(shown, { additions: 1, diff: /new file mode 120000/ })
    t.notMatch(shown.diff, /\+secret/, 'a link is its target, not what is there')
    if (can('discard')) {
      await engine.discard(root, ['link', 'to-secret'], { deleteUntracked: true })
      t.equal(read('../outside/secret'), 'secret\n')
      t.same(git('status', '--porcelain'), ' M a', 'the links themselves are gone')
    }
    for (const paths of [[], ['']]) await t.rejects(engine.stage(root, paths), { name: 'Invalid' })
    await t.rejects(engine.stage(root, ['a\0b']), { name: 'Invalid' })
    await t.rejects(engine.stage(root, ['never-was']), { name: 'Invalid' })
    t.match(await engine.diff(root, 'never-was', 'unstaged'), { diff: '', additions: 0, binary: false, tooLarge: false })
  })

  t.test(`${name}: discarding takes away what is asked for and nothing else`, needs('discard'), async (t) => {
    const { root, write, read, git, has } = smallRepository(t)
    write('a', 'staged\n')
    git('add', 'a')
    write('a', 'staged and more\n')
    unlinkSync(join(root, 'dir/b'))
    write('new/one')
    write('new/two')
    write('.gitignore', 'ignored\n')
    git('add', '.gitignore')
    write('new/ignored')
    await engine.discard(root, ['.'], { deleteUntracked: false })
    t.same([read('a'), read('dir/b'), has('new/one')], ['staged\n', 'b\n', true], 'back to what is staged')
    await engine.discard(root, ['new/one'], { deleteUntracked: true })
    t.same([has('new/one'), has('new/two')], [false, true])
    await engine.discard(root, ['new'], { deleteUntracked: true })
    t.same([has('new/two'), has('new/ignored')], [false, true], 'what is ignored stays')
    rmSync(join(root, 'new'), { recursive: true })
    write('empty/deep/file')
    await engine.discard(root, ['empty'], { deleteUntracked: true })
    t.notOk(has('empty'), 'folders without files mean nothing to git')

    rmSync(join(root, 'dir/b'))
    write('dir/b/precious')
    await t.rejects(engine.discard(root, ['dir'], { deleteUntracked: false }), { name: 'Conflict', code: 'conflict' })
    t.ok(has('dir/b/precious'))
    emptyRepository(join(root, 'inner'))
    await t.rejects(engine.discard(root, ['inner'], { deleteUntracked: true }), { name: 'Conflict', code: 'conflict' })
    t.ok(has('inner/.git'))
  })

  t.test(`${name}: conflicts come first and stay until they are settled`, needs('conflicts', 'merges'), async (t) => {
    const { root, write, git, commitAll, read } = smallRepository(t)
    write('gone-there')
    commitAll('More')
    git('switch', '--quiet', '--create', 'other')
    write('a', 'other\n')
    write('new', 'theirs\n')
    git('rm', '--quiet', 'gone-there')
    commitAll('Other')
    git('switch', '--quiet', 'main')
    write('a', 'main\n')
    write('new', 'ours\n')
    write('gone-there', 'changed\n')
    commitAll('Main')
    t.throws(() => git('merge', '--quiet', 'other'))
    write('0-first')
    const found = await engine.status(root)
    t.same(found?.files.map(({ path, status, conflict, staged }) => [path, status, conflict, staged]), [
      ['a', 'U', true, false], ['gone-there', 'U', true, false], ['new', 'U', true, false], ['0-first', '??', false, false]
    ])
    t.match(found?.totals, { changed: 4, conflicts: 3, staged: 0 })
    t.match(await engine.diff(root, 'a', 'unstaged'), { diff: /diff --cc a[^]*<<<<<<</ })
    const refused = { name: 'Conflict', code: 'conflict' }
    await t.rejects(engine.commit(root, 'x'), refused)
    await t.rejects(engine.commitSelected(root, 'x', ['a']), refused)
    await t.rejects(engine.discard(root, ['a'], { deleteUntracked: false }), refused)
    await t.rejects(engine.unstage(root, ['a']), refused)
    await t.rejects(engine.checkout(root, { ref: 'other', mode: 'local' }), { name: 'Conflict', code: 'operation_in_progress' })
    await t.rejects(engine.stashCheckout(root, { ref: 'other', mode: 'local' }), { name: 'Conflict', code: 'operation_in_progress' })
    t.match(read('a'), '<<<<<<<')
    for (const file of ['a', 'new', 'gone-there']) write(file, 'settled\n')
    await engine.stage(root, ['a', 'new', 'gone-there'])
    await t.rejects(engine.commitSelected(root, 'x', ['a']), { name: 'Conflict', code: 'operation_in_progress' }, 'a part of a merge is no merge')
    await engine.commit(root, 'Merged')
    t.equal(git('rev-list', '--parents', '-1', 'HEAD').split(' ').length, 3)
    t.same(await brief(root), ['?? 0-first'])
  })

  t.test(`${name}: what is under way is not walked over`, needs('merges'), async (t) => {
    const { root, write, git, commitAll } = smallRepository(t)
    git('switch', '--quiet', '--create', 'topic')
    write('a', 'topic\n')
    commitAll('Topic')
    git('switch', '--quiet', 'main')
    write('a', 'main\n')
    commitAll('Main')
    t.throws(() => git('rebase', '--quiet', 'main', 'topic'))
    write('a', 'settled\n')
    await engine.stage(root, ['a'])
    await t.rejects(engine.commit(root, 'x'), { name: 'Conflict', code: 'operation_in_progress' })
    await t.rejects(engine.checkout(root, { ref: 'main', mode: 'local' }), { code: 'operation_in_progress' })
    git('rebase', '--abort')
    git('bisect', 'start')
    await t.rejects(engine.stashCheckout(root, { ref: 'main', mode: 'local' }), { code: 'operation_in_progress' })
  })

  t.test(`${name}: a lock of somebody else is waited for, but not for ever`, needs('locks'), async (t) => {
    const { root, write } = smallRepository(t)
    write('a', 'changed\n')
    const lock = join(root, '.git', 'index.lock')
    writeFileSync(lock, '')
    const waiting = engine.stage(root, ['a'])
    setTimeout(() => { rmSync(lock) }, 300)
    await waiting
    t.same(await brief(root), ['M a staged'])
    writeFileSync(lock, '')
    t.same(await brief(root), ['M a staged'], 'looking needs no lock')
    const refused = { name: 'Conflict', code: 'operation_in_progress' }
    await t.rejects(engine.unstage(root, ['a']), refused)
    await t.rejects(engine.commit(root, 'x'), refused)
    await t.rejects(engine.commitSelected(root, 'x', ['a']), refused)
    await t.rejects(engine.stashCheckout(root, { ref: '', mode: 'new', newBranch: 'x' }), refused)
    rmSync(lock)
    t.same(await brief(root), ['M a staged'])
  })
}
