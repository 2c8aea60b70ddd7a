import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from '../../test/support/harness.js'
import { start } from '../../test/support/app.js'
import { needsGit } from '../../test/support/git-repository.js'
import { tries } from '../../test/support/tries.js'
import { Api } from '../src/core/service/api.js'
import { revertHunk, withoutHunk } from '../src/core/files/hunks.js'
import { Repository } from '../src/core/files/repository.js'
import { parseDiff } from '../src/ui/diff.js'

t.test('hunks that are reverted one by one lead back to the text before, whatever it ends with', needsGit, async (t) => {
  const folder = t.testdir({})
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '- x', '+ y', '@@ -1 +1 @@'), { maxLength: 30 })
  const text = fc.tuple(lines, fc.boolean()).map(([all, isClosed]) => all.join('\n') + (isClosed && all.length > 0 ? '\n' : ''))
  const endings = fc.constantFrom<Array<Array<'\n' | '\r\n'>>>(['\n'], ['\r\n'], ['\n', '\r\n'], ['\r\n', '\r\n', '\n'])
  fc.assert(fc.property(text, text, fc.constantFrom('1', '3'), endings, endings, (before, after, context, ...ended) => {
    const [from, to] = [before, after].map((one, at) => {
      let line = 0
      return one.replaceAll('\n', () => ended[at]![line++ % ended[at]!.length]!)
    }) as [string, string]
    fc.pre(from !== to)
    writeFileSync(join(folder, 'a'), from)
    writeFileSync(join(folder, 'b'), to)
    const [file] = parseDiff(differ(folder, context))
    const back = file?.hunks.toReversed().reduce<string | null>((now, hunk) => now === null ? null : withoutHunk(now, hunk), to)
    return back === from
  }), { numRuns: tries(300) })
})

/** Returns what git says of two files, which ends with 1 where they differ. */
function differ (folder: string, context: string): string {
  try {
    return execFileSync('git', ['diff', '--no-index', `-U${context}`, 'a', 'b'], { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

t.test('a hunk that no longer fits changes nothing', async (t) => {
  const [file] = parseDiff('--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n')
  const hunk = file!.hunks[0]!
  t.equal(withoutHunk('one\nthree\nmore\n', hunk), 'one\ntwo\nmore\n')
  t.equal(withoutHunk('one\nfour\nmore\n', hunk), null)
  t.equal(withoutHunk('', hunk), null)
})

t.test('one change of a file is reverted, the others stay, and that is taken back unless somebody has written since', needsGit, async (t) => {
  const s = await start(t, { hosts: 'inproc' })
  const api = new Api({ origin: s.url })
  const path = join(s.workspace, 'a.txt')
  const git = (...args: string[]): string => execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: s.workspace, encoding: 'utf8' })
  const middle = 'same\n'.repeat(20)
  git('init', '-q', '-b', 'main')
  writeFileSync(path, `one\n${middle}two\n`)
  git('add', '.')
  git('commit', '-q', '-m', 'First')
  const changed = `ONE\n${middle}TWO\n`
  writeFileSync(path, changed)
  const session = await s.newSession()
  const repository = new Repository(api, session)
  const [file] = parseDiff((await repository.diff('a.txt', 'unstaged')).diff)
  t.equal(file!.hunks.length, 2)
  const undo = await revertHunk(api, session, 'a.txt', file!.hunks[1]!)
  t.equal(readFileSync(path, 'utf8'), `ONE\n${middle}two\n`)
  t.equal(await revertHunk(api, session, 'a.txt', file!.hunks[1]!), null, 'it is not there any more')
  t.equal(await undo!(), true)
  t.equal(readFileSync(path, 'utf8'), changed)
  const again = await revertHunk(api, session, 'a.txt', file!.hunks[0]!)
  writeFileSync(path, 'written since\n')
  t.equal(await again!(), false)
  t.equal(readFileSync(path, 'utf8'), 'written since\n')
})
