import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { signal } from '@preact/signals-core'
import t, { type Test } from '../../test/support/harness.js'
import { Api, ApiError } from '../src/core/service/api.js'
import { FileActions } from '../src/core/files/file-actions.js'
import { FolderUploads, type Send } from '../src/core/files/folder-uploads.js'
import { FolderView, type ListLook } from '../src/core/files/folder-view.js'
import { Hub } from '../src/core/service/hub.js'
import { KnownWorkspaces } from '../src/core/machines/known-workspaces.js'
import { createLink, type Link } from '../src/core/service/link.js'
import { Edits, kindOf, OpenedFile, tableOf, whyFixed } from '../src/core/files/opened-file.js'
import { parseNotebook } from '../src/core/files/notebook.js'
import { stepsTo, visible } from '../src/core/files/paths.js'
import { type ChangeGroup, type GitFile } from '../src/core/files/repository.js'
import { mayHaveWrittenMore } from '../src/core/turn/turn-files.js'
import { newCall } from '../src/core/turn/turn-stored.js'
import { type Part } from '../src/core/turn/turn.js'
import { sectionsOf, type WrittenFiles } from '../src/side/sections.js'
import { uploadForm } from '../src/core/composer/uploads.js'
import { start, type TestService } from '../../test/support/app.js'
import { until } from '../../test/support/eventually.js'

const service = async (t: Test): Promise<TestService> => await start(t, { hosts: 'inproc' })

function linkTo (t: Test, url: string): Link {
  const hub = new Hub({ origin: url, retriesMs: [10] })
  return createLink((tell) => {
    const membership = hub.join(tell)
    t.teardown(() => membership.leave())
    return membership
  })
}

const usualLook = (): ListLook => ({ sorting: signal({ key: 'name', descending: false }), hidden: signal(false) })
const names = (view: FolderView): string[] => view.shown.value.map(({ name }) => name)

/** Sends as a browser does, but for the progress in between. */
const send = (api: Api): Send => ({ path, fields, file, onShare }) => {
  const stop = new AbortController()
  const sent = async (): Promise<unknown> => {
    onShare(1)
    return await api.read(await fetch(api.url(path), { method: 'POST', body: uploadForm(file, fields), signal: stop.signal }))
  }
  return { answer: sent(), abort: () => stop.abort() }
}

t.test('what hides or turns a part of a name is visible, and the way to a folder is told step by step', async (t) => {
  t.equal(visible('invoice\u202efdp.exe'), 'invoice\\u202efdp.exe')
  t.equal(visible('two\nlines'), 'two\\nlines')
  t.same(stepsTo('.').map(({ path }) => path), ['.'])
  t.same(stepsTo('src/deep').map(({ path }) => path), ['.', 'src', 'src/deep'])
  t.same(tableOf('name;count\r\n"B; ""C""\n";2\n').rows, [['name', 'count'], ['B; "C"\n', '2']])
  t.same(tableOf('a\n'.repeat(5), { mostRows: 3 }), { rows: [['a'], ['a'], ['a']], more: true })
  t.same(['a.PNG', 'b.csv', 'c.md', 'd.mp4', 'e.pdf', 'f.ipynb', 'g'].map(kindOf), ['picture', 'table', 'markdown', 'video', 'pdf', 'notebook', 'text'])
})

t.test('a folder is shown as it is now, sorted and filtered, and one that goes leads to the one above', async (t) => {
  const s = await service(t)
  mkdirSync(join(s.workspace, 'src'))
  writeFileSync(join(s.workspace, 'f10.txt'), 'x')
  writeFileSync(join(s.workspace, 'f9.txt'), 'xxx')
  writeFileSync(join(s.workspace, '.hidden'), 'x')
  symlinkSync('/etc', join(s.workspace, 'outside'))
  const gone: string[] = []
  const look = usualLook()
  const view = new FolderView({ api: new Api({ origin: s.url }), link: linkTo(t, s.url), sessionId: await s.newSession(), look, onGone: (path) => gone.push(path) })
  t.teardown(view.attend())
  await view.refresh()
  t.same(names(view), ['src', 'f9.txt', 'f10.txt', 'outside'], 'folders first, numbers as people count')
  t.equal(view.hiddenCount.value, 1)
  t.equal(view.shown.value.find(({ name }) => name === 'outside')?.target_outside_workspace, true)
  look.sorting.value = { key: 'size', descending: true }
  t.equal(names(view)[1], 'f9.txt')
  look.hidden.value = true
  view.filter.value = 'HID'
  t.same(names(view), ['.hidden'])

  writeFileSync(join(s.workspace, 'hid-late.txt'), 'x')
  await until(() => names(view).length === 2)
  await view.go('src')
  t.equal(view.filter.value, '', 'another folder is seen whole')
  writeFileSync(join(s.workspace, 'src/new.js'), '')
  await until(() => names(view).includes('new.js'))
  rmSync(join(s.workspace, 'src'), { recursive: true })
  await until(() => view.path.value === '.' && view.entries.value !== null)
  t.same(gone, ['src'])
})

t.test('a text is changed, and nobody else\'s change is lost', async (t) => {
  const s = await service(t)
  const at = (name: string): string => join(s.workspace, name)
  const text = (name: string): string => readFileSync(at(name), 'utf8')
  writeFileSync(at('notes.txt'), 'one\r\ntwo\r\n')
  writeFileSync(at('mixed.txt'), 'one\r\ntwo\n')
  writeFileSync(at('latin.txt'), Buffer.from([0x66, 0xfc, 0x72]))
  writeFileSync(at('large.txt'), 'x'.repeat(400_001))
  const options = { api: new Api({ origin: s.url }), sessionId: await s.newSession(), edits: new Edits() }
  const open = async (path: string): Promise<OpenedFile> => {
    const file = new OpenedFile({ ...options, path })
    await file.load()
    return file
  }
  const file = await open('notes.txt')
  t.ok(file.begin())
  file.type('one\ntwo\nthree\n')
  t.ok(await file.save())
  t.equal(text('notes.txt'), 'one\r\ntwo\r\nthree\r\n', 'its line ends stay')
  t.match(file.edit.value, { text: 'one\ntwo\nthree\n', original: 'one\ntwo\nthree\n' }, 'the edit goes on, with nothing unsaved')
  writeFileSync(at('notes.txt'), 'by the agent\r\n')
  await file.news()
  t.equal(file.edit.value?.text, 'by the agent\n', 'an edit without changes follows the file')
  t.equal(file.conflict.value, false)

  file.type('mine\n')
  t.equal(file.finish(), false, 'what is not saved is not left')
  t.ok(options.edits.has(options.sessionId, 'notes.txt'))
  writeFileSync(at('notes.txt'), 'theirs\n')
  const again = await open('notes.txt')
  t.equal(again.edit.value?.text, 'mine\n', 'what was typed is still there')
  t.equal(again.conflict.value, true)
  t.equal(await again.save(), false)
  t.equal(text('notes.txt'), 'theirs\n')
  t.equal(again.edit.value?.text, 'mine\n')
  t.ok(await again.save({ overwrite: true }))
  t.equal(text('notes.txt'), 'mine\r\n')
  t.equal(options.edits.isEmpty, true)
  t.ok(again.finish())

  again.begin()
  again.type('dropped\n')
  const dropped = again.drop()!
  t.equal(again.edit.value, null)
  again.resume(dropped)
  t.equal(again.edit.value?.text, 'dropped\n', 'a drop can be taken back')
  again.drop()
  writeFileSync(at('notes.txt'), 'seen\n')
  await again.news()
  t.equal(again.file.value?.content, 'seen\n')

  t.equal(whyFixed((await open('mixed.txt')).file.value!), 'mixed')
  t.equal(whyFixed((await open('latin.txt')).file.value!), 'lossy')
  t.equal((await open('latin.txt')).begin(), false)
  t.equal((await open('large.txt')).error.value?.status, 404)
})

t.test('a notebook is read as its cells with their results; what is none is nothing', async (t) => {
  const notebook = parseNotebook(JSON.stringify({
    metadata: { language_info: { name: 'Python' } },
    cells: [
      { cell_type: 'markdown', source: ['# One\n', 'two'] },
      {
        cell_type: 'code', source: 'x', execution_count: 3, outputs: [
          { output_type: 'stream', text: ['\u001b[31mred\u001b[0m\n'] },
          { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/plain': '<Figure>' } },
          { output_type: 'execute_result', data: { 'text/html': '<script>', 'text/plain': ['4', '2'] } },
          { output_type: 'display_data', data: { 'application/x': {} } },
          { output_type: 'error', ename: 'E', evalue: 'v', traceback: [] }
        ]
      },
      { cell_type: 'odd' }, 'no cell'
    ]
  }))
  t.strictSame(notebook, {
    language: 'python',
    cells: [
      { kind: 'markdown', text: '# One\ntwo', count: null, outputs: [] },
      {
        kind: 'code', text: 'x', count: 3, outputs: [
          { kind: 'text', text: 'red\n' }, { kind: 'picture', source: 'data:image/png;base64,aGk=' }, { kind: 'text', text: '42' },
          { kind: 'hidden', type: 'application/x' }, { kind: 'error', text: 'E: v' }
        ]
      },
      { kind: 'raw', text: '', count: null, outputs: [] }
    ]
  })
  for (const text of ['', '{', '[]', '{"cells":1}', 'null']) t.equal(parseNotebook(text), null, text)
})

t.test('changes of the chat come first; what a command may have written is not called foreign', async (t) => {
  const file = (path: string, more: Partial<GitFile> = {}): GitFile => ({
    path, workspace_path: path, old_path: null, status: 'M', staged: false, unstaged: true, untracked: false, conflict: false, ignored: false,
    additions: 1, deletions: 0, binary: false, ...more
  })
  const groups: ChangeGroup[] = [
    { key: 'staged', kind: 'staged', files: [file('s', { staged: true })] },
    { key: 'changes', kind: 'unstaged', files: [file('a'), file('b'), file('new', { old_path: 'old' })] }
  ]
  const shown = (written: WrittenFiles): string[] => sectionsOf(groups, written).map(({ key, files }) => `${key} ${files.map(({ path }) => path).join()}`)
  t.same(shown({ paths: new Set(['a', 'old', 's']), isComplete: true }), ['staged s', 'chat a,new', 'other b'])
  t.same(shown({ paths: new Set(), isComplete: false }), ['staged s', 'rest a,b,new'])
  const call = (name: string): Part => newCall('1', '1', name, {})
  t.equal(mayHaveWrittenMore({ parts: [call('write_file'), call('read_file')], isCut: false }), false)
  t.equal(mayHaveWrittenMore({ parts: [call('terminal')], isCut: false }), true)
  t.equal(mayHaveWrittenMore({ parts: [], isCut: true }), true)
})

t.test('files are made, renamed, moved, deleted and brought back, uploaded and unpacked', async (t) => {
  const s = await service(t)
  const api = new Api({ origin: s.url })
  const sessionId = await s.newSession()
  const actions = new FileActions(api, sessionId)
  const isThere = (path: string): boolean => existsSync(join(s.workspace, path))
  await actions.createFolder('box')
  await actions.createFile('a.txt')
  await t.rejects(actions.createFile('a.txt'), { code: 'exists' })
  t.equal(await actions.rename('a.txt', 'b.txt'), 'b.txt')
  const now = await actions.move('b.txt', 'box')
  t.ok(isThere('box/b.txt'))
  await actions.moveBack('a.txt', now)
  t.ok(isThere('a.txt'), 'it is where it was, under its old name')
  await t.rejects(actions.remove('box'), ApiError, 'a folder is not deleted by mistake')
  const removed = await actions.remove('box', { tree: true })
  t.equal(isThere('box'), false)
  t.equal('trashId' in removed && removed.trashId !== null && await actions.restore(removed.trashId), 'box')

  const done: string[] = []
  const uploads = new FolderUploads({ sessionId, send: send(api), onDone: ({ name }) => done.push(name) })
  uploads.add([new File(['up'], 'up.txt'), new File(['up'], 'up2.txt')], 'box')
  await until(() => done.length === 2)
  t.equal(readFileSync(join(s.workspace, 'box/up.txt'), 'utf8'), 'up')
  const zip = Buffer.from(await (await fetch(actions.zipUrl('box'))).arrayBuffer())
  uploads.add([new File([zip], 'packed.zip')], '.', { unpack: true })
  await until(() => isThere('packed') && done.length === 3)
  uploads.add([new File(['no'], 'broken.zip')], '.', { unpack: true })
  await until(() => uploads.list.value[0]?.state === 'failed')
  uploads.retry(uploads.list.value[0]!.id)
  await until(() => uploads.list.value[0]?.state === 'failed')
  uploads.putAway(uploads.list.value[0]!.id)
  t.same(uploads.list.value, [])
  t.equal(done.length, 3)
})

t.test('an upload that is put away before its turn is never sent', async (t) => {
  const sent: string[] = []
  let finish = (): void => {}
  const uploads = new FolderUploads({
    sessionId: 'any',
    send: ({ file }) => {
      sent.push(file.name)
      return { answer: new Promise<void>((resolve) => { finish = resolve }), abort: () => {} }
    },
    onDone: () => {}
  })
  uploads.add([new File([''], 'first'), new File([''], 'second'), new File([''], 'third')], '.')
  uploads.putAway(uploads.list.value[1]!.id)
  finish()
  await until(() => sent.length === 2)
  t.same(sent, ['first', 'third'])
})

t.test('folders to work in are added, found again, renamed, taken off the list and put back', async (t) => {
  const s = await service(t)
  const known = new KnownWorkspaces(new Api({ origin: s.url }))
  await known.list.refresh()
  const usual = known.list.value.value!.workspaces[0]!.path
  const other = join(s.folder, 'other')
  await t.rejects(known.add(other), ApiError)
  t.equal((await known.add(other, { create: true })).path, other)
  t.equal((await known.add(other)).path, other, 'as good as a new one')
  t.ok((await known.suggest(`${s.folder}/oth`)).some((one) => one.startsWith(other)))
  await known.rename(other, 'Other')
  const mine = known.list.value.value!.workspaces.find(({ path }) => path === other)!
  t.equal(mine.name, 'Other')
  await known.remove(other)
  t.same(known.list.value.value!.workspaces.map(({ path }) => path), [usual])
  await known.bringBack(mine, [other, usual])
  t.same(known.list.value.value!.workspaces.map(({ path, name }) => [path, name])[0], [other, 'Other'])
})
