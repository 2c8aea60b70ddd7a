import t from '../../test/support/harness.js'
import { parseDiff } from '../src/ui/diff.js'

t.test('lines have their signs and numbers, and of changed ones what differs', async (t) => {
  const [file] = parseDiff(['--- a/list.ts', '+++ b/list.ts', '@@ -10,4 +10,4 @@ function list () {', ' keep', '-const rows = await db.all()', '+const rows = await cache.all()', ' end', ' last', ''].join('\n'))
  t.match(file, { path: 'list.ts', state: 'changed', added: 1, removed: 1 })
  const [hunk] = file!.hunks
  t.match(hunk, { context: 'function list () {', skipped: 9 })
  t.strictSame(hunk!.lines.map(({ kind, before, after }) => [kind, before, after]), [['same', 10, 10], ['del', 11, null], ['add', null, 11], ['same', 12, 12], ['same', 13, 13]])
  t.strictSame(hunk!.lines.slice(1, 3).map(({ text, marked }) => text.slice(...marked!)), ['db', 'cache'])
})

t.test('of git: new, deleted, renamed and binary files, and lines that look like heads', async (t) => {
  const files = parseDiff([
    'diff --git a/new.md b/new.md', 'new file mode 100644', '--- /dev/null', '+++ b/new.md', '@@ -0,0 +1,2 @@', '+one', '+++ two', '\\ No newline at end of file',
    'diff --git a/old.md b/old.md', 'deleted file mode 100644', '--- a/old.md', '+++ /dev/null', '@@ -1,2 +0,0 @@', '--- a/b', '-two',
    'diff --git a/a b.txt b/c d.txt', 'similarity index 100%', 'rename from a b.txt', 'rename to c d.txt',
    'diff --git a/x.png b/x.png', 'Binary files a/x.png and b/x.png differ'
  ].join('\n'))
  t.match(files, [
    { path: 'new.md', state: 'created', added: 2, removed: 0 },
    { path: 'old.md', state: 'deleted', added: 0, removed: 2 },
    { path: 'c d.txt', from: 'a b.txt', state: 'renamed' },
    { path: 'x.png', binary: true }
  ])
  t.strictSame(files[0]!.hunks[0]!.lines.map(({ kind, text }) => [kind, text]), [['add', 'one'], ['add', '++ two'], ['note', 'No newline at end of file']])
  t.strictSame(files[1]!.hunks[0]!.lines.map(({ text }) => text), ['-- a/b', 'two'])
})

t.test('names that git quotes are the names of the files', async (t) => {
  const files = parseDiff([
    String.raw`diff --git "a/a\"b\tc.txt" "b/a\"b\tc.txt"`, 'index 1..2 100644', String.raw`--- "a/a\"b\tc.txt"`, String.raw`+++ "b/a\"b\tc.txt"`, '@@ -1 +1 @@', '-a', '+b',
    String.raw`diff --git "a/back\\slash" "b/\303\244 b/x"`, 'similarity index 100%', String.raw`rename from "back\\slash"`, String.raw`rename to "\303\244 b/x"`,
    'diff --git a/x b/y.png b/x b/y.png', 'Binary files a/x b/y.png and b/x b/y.png differ',
    'diff --git a/plain b/"said".txt', 'old mode 100644', 'new mode 100755'
  ].join('\n'))
  t.match(files.map(({ path, from }) => [path, from]), [['a"b\tc.txt', null], ['ä b/x', 'back\\slash'], ['x b/y.png', null], ['"said".txt', null]])
})

t.test('what is cut off, is no diff or comes without heads gives what there is', async (t) => {
  t.strictSame(parseDiff(''), [])
  t.strictSame(parseDiff('hello\nworld'), [])
  t.match(parseDiff('@@ -1,9 +1,9 @@\n a\n-b'), [{ path: '', removed: 1 }])
  t.match(parseDiff('--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n--- a/y\n+++ b/y\n'), [{ path: 'x' }])
  t.match(parseDiff('@@ -1,1 +1,1 @@\n a\n-b\n+c\n d'), [{ path: '', added: 1, removed: 1 }], 'wrongly counted')
  t.equal(parseDiff('--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n')[0]!.hunks[0]!.lines[1]!.text, 'b')
})

t.test('a long diff is read in one go', async (t) => {
  const lines = Array.from({ length: 50_000 }, (_, at) => at % 2 === 0 ? `-${'x'.repeat(80)}${at}` : `+${'x'.repeat(80)}${at}`)
  const [file] = parseDiff(`--- a/x\n+++ b/x\n@@ -1,25000 +1,25000 @@\n${lines.join('\n')}`)
  t.match(file, { added: 25_000, removed: 25_000 })
})
