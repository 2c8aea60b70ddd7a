import t from '../../test/support/harness.js'
import { changeTotals, diffInResult, fileChanges } from '../src/core/turn/turn-changes.js'
import { countedChanges } from '../src/core/turn/turn-diff.js'
import { type CallPart } from '../src/core/turn/turn.js'

const call = (name: string, path: string, more: Partial<CallPart> = {}): CallPart => ({
  kind: 'call', key: path, id: path, name, args: { path }, preview: null, output: null, result: '', resultTruncated: false, durationS: 1, state: 'done', startedAtS: null, foresight: null, ...more
})
const diff = '--- a/one.ts\n+++ b/one.ts\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n'

t.test('what a turn has changed: each file once, with its lines where all of them are known', (t) => {
  const files = fileChanges([
    call('edit_file', '/work/one.ts', { foresight: { diff } }), call('read_file', 'read.ts'), call('edit_file', 'one.ts', { result: `Changed.\n${diff}` }),
    call('write_file', 'src/new.ts'), call('edit_file', 'denied.ts', { state: 'failed' })
  ], '/work')
  t.same(files, [{ path: 'one.ts', added: 4, removed: 2 }, { path: 'src/new.ts', added: null, removed: null }])
  t.same(changeTotals(files), { added: null, removed: null })
  t.same(changeTotals(files.slice(0, 1)), { added: 4, removed: 2 })
  t.same(fileChanges([call('write_file', 'new.ts', { result: 'Created new.ts: 1,200 lines, 9 bytes.' })], '/work'), [{ path: 'new.ts', added: 1200, removed: 0 }])
  // As edit_file tells it.
  const told = call('edit_file', 'one.ts', { result: 'Changed one.ts: 2 added, 1 removed.\n@@ line 3 @@\n a\n-b\n+c\n@@ line 9 @@\n+d' })
  t.same(fileChanges([told], '/work'), [{ path: 'one.ts', added: 2, removed: 1 }])
  t.same(diffInResult(told.result ?? ''), { before: 'Changed one.ts: 2 added, 1 removed.', diff: '@@ -3 +3 @@\n a\n-b\n+c\n@@ -9 +9 @@\n+d', isCut: false })
  t.equal(diffInResult('Changed one.ts (too many changes to show).'), null)
  for (const cut of [{ result: diff, resultTruncated: true }, { foresight: { diff, diff_truncated: true } }, { result: `${diff}[… 12 more lines of the diff …]` }]) {
    t.same(fileChanges([call('edit_file', 'one.ts', cut)], '/work'), [{ path: 'one.ts', added: null, removed: null }])
  }
})

t.test('the files of a turn have the numbers and the names that the folder says', (t) => {
  const told = [{ path: 'a.ts', added: null, removed: null }, { path: 'old.ts', added: 1, removed: 1 }, { path: 'new.ts', added: 2, removed: 0 }, { path: '/tmp/x', added: 1, removed: 0 }]
  const diff = [{ path: 'a.ts', from: null, added: 3, removed: 0 }, { path: 'new.ts', from: 'old.ts', added: 5, removed: 4 }]
  t.same(countedChanges(told, diff), [{ path: 'a.ts', added: 3, removed: 0 }, { path: 'new.ts', added: 5, removed: 4 }, { path: '/tmp/x', added: 1, removed: 0 }])
})
