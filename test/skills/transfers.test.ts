import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '#test'
import { archivedSkills } from '../../services/areas/skills/archived-skills.js'
import { start, type Answer, type TestService } from '../support/app.js'
import { tarOf, type TarMember, zipOf, type ZipMember } from '../support/archives.js'
import { aheadBy } from '../support/clock.js'
import { temporaryFolder } from '../support/folder.js'
import { sendForm } from '../support/forms.js'

const skillText = (name: string, more = ''): string => `---\nname: ${name}\ndescription: About ${name}\n${more}---\n\nDo ${name}.\n`
const rootOf = (service: TestService): string => join(service.folder, 'home', 'skills')
const put = (path: string, content: string, mode = 0o600): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}
const inspect = (service: TestService, filename: string, content: Uint8Array): Promise<Answer> =>
  sendForm(`${service.url}/api/skills/inspect`, [{ name: 'file', filename, content }])
const take = (service: TestService, id: string, skills: unknown, more: object = {}): Promise<Answer> => service.post('/api/skills/import', { id, skills, ...more })
const undo = (service: TestService, id: string): Promise<Answer> => service.post('/api/skills/import/undo', { id })
const download = async (service: TestService, query: string): Promise<Buffer> => {
  const response = await fetch(`${service.url}/api/skills/export?${query}`)
  t.equal(response.status, 200, query)
  return Buffer.from(await response.arrayBuffer())
}
/** The files below a folder, with their content and whether they can be run. */
const filesOf = (folder: string): Record<string, [string, boolean]> => Object.fromEntries(
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map(({ parentPath, name }): [string, [string, boolean]] => {
    const path = join(parentPath, name)
    return [path.slice(folder.length + 1), [readFileSync(path, 'utf8'), (statSync(path).mode & 0o111) !== 0]]
  }).sort(([one], [other]) => one < other ? -1 : 1)
)
const namesOf = async (service: TestService): Promise<string[]> =>
  (await service.get('/api/skills')).body.skills.filter(({ origin }: { origin: string }) => origin === 'profile').map(({ name }: { name: string }) => name)

const nameIn = (text: string): string | undefined => /^name: "?([\w-]+)"?$/m.exec(text)?.[1]

const helper: ZipMember[] = [
  { name: 'repo-main/README.md', content: '# Read me' },
  { name: 'repo-main/skills/helper/SKILL.md', content: skillText('helper') },
  { name: 'repo-main/skills/helper/scripts/run.sh', content: '#!/bin/sh\necho hi\n', mode: 0o100755 },
  { name: 'repo-main/skills/helper/references/a/b.md', content: '# B' },
  { name: 'repo-main/skills/other/SKILL.md', content: 'No front matter.\n' }
]

t.test('skills are found wherever they are in an archive', async (t) => {
  t.same(archivedSkills([]), { skills: [], others: 0 })
  t.same(archivedSkills(['SKILL.md', 'a/b.md', 'inner/SKILL.md']), { skills: [{ folder: '', files: ['SKILL.md', 'a/b.md', 'inner/SKILL.md'] }], others: 0 })
  t.same(archivedSkills(['z/SKILL.md', 'README.md', 'a/deep/er/SKILL.md', 'a/deep/er/x', 'a/deep/y', 'z-2/x']), {
    skills: [{ folder: 'a/deep/er', files: ['SKILL.md', 'x'] }, { folder: 'z', files: ['SKILL.md'] }], others: 3
  })
})

t.test('an archive is shown, then imported, then undone', async (t) => {
  const service = await start(t)
  const { status, body } = await inspect(service, 'repo.zip', zipOf(helper))
  t.equal(status, 200)
  t.equal(body.other_files, 1)
  t.match(body.skills, [{
    id: 'repo-main/skills/helper', name: 'helper', description: 'About helper', warning: null, problem: null, conflict: null, hides: [], content: skillText('helper'),
    files: [
      { path: 'SKILL.md', size: skillText('helper').length, executable: false, script: false }, { path: 'references/a/b.md', executable: false, script: false },
      { path: 'scripts/run.sh', executable: true, script: true }
    ]
  }, { name: 'other', warning: /no name.*no description/, problem: null }])
  t.same(await namesOf(service), [], 'nothing is saved yet')
  t.match(await take(service, body.id, [{ id: 'repo-main/skills/helper' }], { category: 'Made elsewhere' }), {
    status: 200, body: { ok: true, imported: [{ name: 'helper', path: 'Made-elsewhere/helper/SKILL.md', replaced: false }] }
  })
  t.same(await namesOf(service), ['helper'], 'only what was chosen')
  t.same(Object.entries(filesOf(join(rootOf(service), 'Made-elsewhere', 'helper'))).map(([path, [, runs]]) => [path, runs]), [['SKILL.md', false], ['references/a/b.md', false], ['scripts/run.sh', true]])
  t.match(await take(service, body.id, [{ id: 'repo-main/skills/other' }]), { status: 409, body: { code: 'exists' } }, 'an archive is imported once')
  t.match(await undo(service, body.id), { status: 200, body: { ok: true, removed: ['helper'], restored: [] } })
  t.same(await namesOf(service), [])
  t.match(await undo(service, body.id), { status: 404 })
})

t.test('every kind of archive, and skills without a folder', async (t) => {
  const service = await start(t)
  const members: TarMember[] = [{ name: './SKILL.md', content: 'Just a text.\n' }, { name: 'tool.py', content: '#!/usr/bin/env python3\n' }]
  const tar = await tarOf(members)
  for (const [name, bytes] of [['My Notes.tar', tar], ['My Notes.tar.gz', gzipSync(tar)], ['My Notes.skill', zipOf(members.map(({ name, content }) => ({ name, content: content ?? '' })))]] as const) {
    const { body } = await inspect(service, name, bytes)
    t.match(body.skills, [{ id: '.', name: 'my-notes', files: [{ path: 'SKILL.md', executable: false }, { path: 'tool.py', executable: true, script: true }] }], 'nothing in it is marked, so a program is')
    t.match(await take(service, body.id, [{ id: '.' }]), { status: 200, body: { imported: [{ name: 'my-notes' }] } })
    t.ok((statSync(join(rootOf(service), 'my-notes', 'tool.py')).mode & 0o100) !== 0)
    t.equal((await undo(service, body.id)).status, 200)
  }
  const marked = await inspect(service, 'a.tar', await tarOf([...members, { name: 'b.sh', mode: 0o755 }]))
  t.match(marked.body.skills, [{ files: [{ path: 'SKILL.md' }, { path: 'b.sh', executable: true }, { path: 'tool.py', executable: false, script: true }] }], 'the marks of the archive count')
})

t.test('a skill that exists is replaced, kept beside, or left alone', async (t) => {
  const service = await start(t)
  put(join(rootOf(service), 'work', 'helper', 'SKILL.md'), 'Mine.\n')
  put(join(rootOf(service), 'work', 'helper', 'notes.md'), 'My notes')
  const mine = filesOf(join(rootOf(service), 'work', 'helper'))
  const { body } = await inspect(service, 'repo.zip', zipOf(helper))
  t.match(body.skills[0], { conflict: { path: 'work/helper/SKILL.md', same: false } })
  t.match(await take(service, body.id, [{ id: 'repo-main/skills/other' }, { id: 'repo-main/skills/helper' }]), { status: 409, body: { code: 'exists', error: /already has: helper/ } })
  t.same(await namesOf(service), ['helper'], 'all or none')
  t.match(await take(service, body.id, [{ id: 'repo-main/skills/helper', on_conflict: 'replace' }], { category: 'elsewhere' }), {
    status: 200, body: { imported: [{ name: 'helper', path: 'work/helper/SKILL.md', replaced: true }] }
  }, 'in its place')
  t.same(Object.keys(filesOf(join(rootOf(service), 'work', 'helper'))), ['SKILL.md', 'references/a/b.md', 'scripts/run.sh'])

  const again = await inspect(service, 'repo.zip', zipOf(helper))
  t.match(again.body.skills[0], { conflict: { same: true } })
  t.match(await take(service, again.body.id, [{ id: 'repo-main/skills/helper', on_conflict: 'keep_both' }]), { status: 200, body: { imported: [{ name: 'helper-2', path: 'helper-2/SKILL.md', replaced: false }] } })
  t.equal(readFileSync(join(rootOf(service), 'helper-2', 'SKILL.md'), 'utf8'), skillText('helper').replace('name: helper', 'name: helper-2'))
  t.same(await namesOf(service), ['helper', 'helper-2'])

  put(join(rootOf(service), 'helper-2', 'more.md'), 'Edited since')
  t.match(await undo(service, again.body.id), { status: 409, body: { code: 'changed' } })
  t.same(await namesOf(service), ['helper', 'helper-2'], 'what a person has edited stays')
  t.match(await undo(service, body.id), { status: 200, body: { removed: [], restored: ['helper'] } })
  t.same(filesOf(join(rootOf(service), 'work', 'helper')), mine, 'what was replaced is back')

  const shipped = await inspect(service, 'd.zip', zipOf([{ name: 'debugging/SKILL.md', content: skillText('debugging') }]))
  t.match(shipped.body.skills, [{ conflict: null, hides: ['shipped'] }])
})

t.test('an import that was cut off is finished or undone by the next process', async (t) => {
  const service = await start(t)
  put(join(rootOf(service), 'helper', 'SKILL.md'), 'Mine.\n')
  const { body: { id } } = await inspect(service, 'repo.zip', zipOf(helper))
  const chosen = [{ id: 'repo-main/skills/helper', on_conflict: 'replace' }, { id: 'repo-main/skills/other' }]
  t.equal((await take(service, id, chosen)).status, 200)
  // As a process leaves it that is killed after the first skill: the second is still unpacked.
  const kept = join(rootOf(service), '.imports', id)
  execFileSync('mv', [join(rootOf(service), 'other'), join(kept, 'unpacked', 'repo-main', 'skills', 'other')])
  t.match(await take(service, id, chosen), { status: 200, body: { imported: [{ name: 'helper', replaced: true }, { name: 'other', replaced: false }] } })
  execFileSync('mv', [join(rootOf(service), 'other'), join(kept, 'unpacked', 'repo-main', 'skills', 'other')])
  t.match(await undo(service, id), { status: 200 })
  t.same(await namesOf(service), ['helper'])
  t.equal(readFileSync(join(rootOf(service), 'helper', 'SKILL.md'), 'utf8'), 'Mine.\n')
  t.notOk(existsSync(kept))
})

t.test('an import that was cut off is undone by the next start, and before its files are too old to be kept', async (t) => {
  const folder = temporaryFolder(t, 'imports')
  const place = (...names: string[]): string => join(folder, 'home', 'skills', ...names)
  put(place('helper', 'SKILL.md'), 'Mine.\n')
  let aheadMs = 0
  const cutOff = async (service: TestService): Promise<void> => {
    const { body: { id } } = await inspect(service, 'repo.zip', zipOf(helper))
    t.equal((await take(service, id, [{ id: 'repo-main/skills/helper', on_conflict: 'replace' }])).status, 200)
    // As a process leaves it that is killed between the two moves of a replacement.
    execFileSync('mv', [place('helper'), place('.imports', id, 'unpacked', 'repo-main', 'skills', 'helper')])
  }
  const first = await start(t, { folder })
  await cutOff(first)
  await first.stop()
  const second = await start(t, { folder, clock: aheadBy(() => aheadMs) })
  t.equal(readFileSync(place('helper', 'SKILL.md'), 'utf8'), 'Mine.\n')
  await cutOff(second)
  aheadMs = 25 * 3_600_000
  t.equal((await inspect(second, 'repo.zip', zipOf(helper))).status, 200)
  t.equal(readFileSync(place('helper', 'SKILL.md'), 'utf8'), 'Mine.\n')
})

t.test('what an import replaced is kept for a day, however many archives are inspected', async (t) => {
  const service = await start(t)
  put(join(rootOf(service), 'helper', 'SKILL.md'), 'Mine.\n')
  const { body: { id } } = await inspect(service, 'repo.zip', zipOf(helper))
  await take(service, id, [{ id: 'repo-main/skills/helper', on_conflict: 'replace' }])
  for (let times = 0; times < 12; times++) t.equal((await inspect(service, 'repo.zip', zipOf(helper))).status, 200)
  t.equal(readdirSync(join(rootOf(service), '.imports')).length, 11)
  t.match(await undo(service, id), { status: 200, body: { restored: ['helper'] } })
})

t.test('a folder of other skills is never replaced, and no skill by two', async (t) => {
  const service = await start(t)
  put(join(rootOf(service), 'work', 'one', 'SKILL.md'), skillText('one'))
  put(join(rootOf(service), 'plain', 'SKILL.md'), skillText('fancy'))
  const { body } = await inspect(service, 'a.zip', zipOf(['work', 'plain', 'fancy'].map((name) => ({ name: `${name}/SKILL.md`, content: skillText(name) }))))
  t.match(body.skills, [{ name: 'fancy', conflict: { path: 'plain/SKILL.md' } }, { name: 'plain', conflict: { path: 'plain/SKILL.md' } }, { name: 'work', conflict: { path: 'work/SKILL.md', same: false } }])
  const replace = (...ids: string[]) => take(service, body.id, ids.map((id) => ({ id, on_conflict: 'replace' })))
  t.match(await replace('work'), { status: 409, body: { code: 'exists', error: /already has: work/ } })
  t.match(await replace('fancy', 'plain'), { status: 409, body: { code: 'exists', error: /already has: plain/ } })
  t.same(await namesOf(service), ['fancy', 'one'])
  t.match(await take(service, body.id, [{ id: 'work', on_conflict: 'keep_both' }]), { status: 200, body: { imported: [{ name: 'work-2', path: 'work-2/SKILL.md' }] } })
  t.same(await namesOf(service), ['fancy', 'one', 'work-2'])
})

t.test('no skill is saved in the folder of another skill, or above others', async (t) => {
  const service = await start(t)
  put(join(rootOf(service), 'plain', 'SKILL.md'), skillText('plain'))
  put(join(rootOf(service), 'work', 'one', 'SKILL.md'), skillText('one'))
  const { body: { id } } = await inspect(service, 'repo.zip', zipOf(helper))
  t.match(await take(service, id, [{ id: 'repo-main/skills/helper' }], { category: 'plain' }), { status: 409, body: { code: 'exists', error: /plain is a skill/ } })
  const save = (name: string, category: string | null) => service.post('/api/skills/save', { name, category, content: skillText(name) })
  t.match(await save('new', 'plain'), { status: 409, body: { code: 'exists', error: /plain is a skill/ } })
  t.match(await save('work', null), { status: 409, body: { code: 'exists', error: /work is a category/ } })
  t.same(await namesOf(service), ['one', 'plain'])
  t.equal((await save('new', 'work')).status, 200)
  t.same(await namesOf(service), ['new', 'one', 'plain'])
})

t.test('an import that is refused leaves no trace in the names of the next attempt', async (t) => {
  const service = await start(t)
  for (const name of ['helper', 'other']) put(join(rootOf(service), name, 'SKILL.md'), 'Mine.\n')
  const { body: { id } } = await inspect(service, 'repo.zip', zipOf(helper))
  const [helperId, otherId] = ['repo-main/skills/helper', 'repo-main/skills/other']
  t.match(await take(service, id, [{ id: helperId, on_conflict: 'keep_both' }, { id: otherId }]), { status: 409 })
  t.match(await take(service, id, [{ id: helperId, on_conflict: 'replace' }]), { status: 200, body: { imported: [{ name: 'helper', replaced: true }] } })
  t.equal(nameIn(readFileSync(join(rootOf(service), 'helper', 'SKILL.md'), 'utf8')), 'helper')
})

t.test('a skill that is kept beside another gets its new name, however it writes its own', async (t) => {
  const service = await start(t)
  put(join(rootOf(service), 'helper', 'SKILL.md'), 'Mine.\n')
  const forms = [
    'name: helper', '"name": helper', "'name' : 'helper'", 'name: >\n  helper', 'name: |-\n  helper\n', 'name:\n  helper', 'name: &a helper\nmetadata:\n  name: *a', '{name: helper, description: About helper}', 'Name: x\nname: "help\\x65r" # a comment', 'title: x', 'name: helper\r', '? name\n: helper'
  ]
  for (const [at, form] of forms.entries()) {
    const archive = zipOf([{ name: 'helper/SKILL.md', content: `---\n${form}\n${form.startsWith('{') ? '' : 'description: About helper\n'}---\n\nDo it.\n` }])
    const { body } = await inspect(service, 'a.zip', archive)
    t.match(body.skills, [{ name: 'helper', problem: null, conflict: { path: 'helper/SKILL.md' } }], form)
    const name = `helper-${at + 2}`
    t.match(await take(service, body.id, [{ id: 'helper', on_conflict: 'keep_both' }]), { status: 200, body: { imported: [{ name }] } }, form)
    const { body: saved } = await service.get(`/api/skills/content?name=${name}`)
    t.match(saved, { name, description: form === 'title: x' ? String : 'About helper', path: `${name}/SKILL.md` }, form)
    t.match(saved.content, /---\s+Do it\.\n$/)
  }
})

t.test('a text that is longer than what is shown says so', async (t) => {
  const service = await start(t)
  const { body } = await inspect(service, 'a.zip', zipOf([{ name: 'long/SKILL.md', content: skillText('long') + 'x'.repeat(40_000) }]))
  t.match(body.skills, [{ name: 'long', warning: /longer than what is shown/ }])
})

t.test('hostile and broken archives do no harm', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '2' } })
  const good: ZipMember = { name: 'good/SKILL.md', content: skillText('good') }
  const unsafe: Array<[what: string, bytes: Buffer]> = [
    ['a way out', zipOf([good, { name: '../evil/SKILL.md', content: 'x' }])], ['a symlink', zipOf([good, { name: 'good/references', content: '/etc', mode: 0o120777 }])],
    ['a bomb', zipOf([good, { name: 'good/zero', content: Buffer.alloc(5 * 1024 * 1024) }])], ['a link in tar', await tarOf([{ name: 'good/SKILL.md', type: 'symlink', linkname: '/etc/passwd' }])]
  ]
  for (const [what, bytes] of unsafe) t.match(await inspect(service, 'a.zip', bytes), { status: 400, body: { code: 'unsafe_archive' } }, what)
  t.match(await inspect(service, 'a.zip', Buffer.from('hello')), { status: 400, body: { code: 'not_an_archive' } })
  t.match(await inspect(service, 'a.zip', zipOf([{ name: 'README.md', content: 'x' }])), { status: 400, body: { error: /contains no skill/ } })
  t.match(await inspect(service, 'a.zip', zipOf([good, ...Array.from({ length: 1_001 }, (_, n) => ({ name: `good/${n}`, content: 'x' }))])), { status: 413 })
  t.match(await inspect(service, 'a.zip', zipOf(Array.from({ length: 101 }, (_, n) => ({ name: `s${n}/SKILL.md`, content: 'x' })))), { status: 413 })
  t.match(await inspect(service, 'a.zip', Buffer.alloc(3 * 1024 * 1024)), { status: 413 })
  t.same(readdirSync(join(rootOf(service), '.imports')), [], 'nothing is left of them')

  const { body } = await inspect(service, 'a.zip', zipOf([
    good, { name: 'binary/SKILL.md', content: Buffer.from([0xff, 0xfe]) }, { name: 'huge/SKILL.md', content: `${skillText('huge')}${[...Array(200_000).keys()].join(' ')}` },
    { name: 'twin/SKILL.md', content: skillText('good') }, { name: 'unseen/SKILL.md', content: `${skillText('unseen')}\u{e0041}\u{e0042}` }, { name: '--/SKILL.md', content: 'x' },
    { name: 'good/.git/hooks/pre-commit', content: 'evil', mode: 0o100755 }
  ]))
  const problems = Object.fromEntries(body.skills.map(({ id, problem }: { id: string, problem: string | null }) => [id, problem]))
  t.match(problems, { good: null, unseen: null, binary: /not text/, huge: /too large/, twin: /has this name/, '--': /Invalid skill name/ })
  t.match(body.skills.find(({ id }: { id: string }) => id === 'unseen'), { warning: /characters that are not shown/ })
  t.match(body.skills.find(({ id }: { id: string }) => id === 'good').files, [{ path: 'SKILL.md' }], 'a repository is left out')
  t.match(await take(service, body.id, [{ id: 'binary' }]), { status: 400, body: { error: /cannot be imported/ } })
  t.match(await take(service, body.id, [{ id: '../..' }]), { status: 404 })
  t.match(await take(service, body.id, [{ id: 'good' }, { id: 'good' }]), { status: 400 })
  t.match(await take(service, body.id, [{ id: 'good' }], { category: '../x' }), { status: 400 })
  for (const id of ['x', '../../../etc', 'f'.repeat(24)]) t.match(await undo(service, id), { status: 404 })
  symlinkSync(service.folder, join(rootOf(service), 'linked'))
  t.match(await take(service, body.id, [{ id: 'good' }], { category: 'linked' }), { status: 400, body: { code: 'symlink' } })
  t.notOk(existsSync(join(service.folder, 'good')))
  t.match(await take(service, body.id, [{ id: 'good' }, { id: 'unseen' }]), { status: 200 }, 'and can still be imported')
  t.same(await namesOf(service), ['good', 'unseen'])
  t.match(await fetch(`${service.url}/api/skills/inspect`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }), { status: 400 })
})

t.test('an export holds everything, is always the same, and can be imported again', async (t) => {
  const service = await start(t)
  const { body: { id } } = await inspect(service, 'repo.zip', zipOf(helper))
  t.equal((await take(service, id, [{ id: 'repo-main/skills/helper' }, { id: 'repo-main/skills/other' }])).status, 200)
  symlinkSync('/etc/passwd', join(rootOf(service), 'helper', 'outside'))
  const before = filesOf(join(rootOf(service), 'helper'))
  const archive = await download(service, 'name=helper')
  // Neither times nor other modes count.
  put(join(rootOf(service), 'helper', 'SKILL.md'), skillText('helper'), 0o666)
  t.ok(archive.equals(await download(service, 'name=helper')), 'byte for byte')
  t.notOk(archive.includes('root:'), 'no link leads out of it')
  const both = await download(service, 'name=other&name=helper')
  t.ok(both.equals(await download(service, 'name=helper&name=other&name=helper')))
  t.match((await fetch(`${service.url}/api/skills/export?name=helper`)).headers.get('content-disposition'), /helper\.zip/)
  t.equal((await fetch(`${service.url}/api/skills/export?name=nobody`)).status, 404)
  t.equal((await fetch(`${service.url}/api/skills/export`)).status, 400)
  t.match((await inspect(service, 'shipped.zip', await download(service, 'name=code-review'))).body.skills, [{ name: 'code-review', warning: null, files: [{ path: 'SKILL.md' }, { path: 'references/checklist.md' }] }])

  const second = await start(t)
  const { body } = await inspect(second, 'skills.zip', both)
  t.match(body, { other_files: 0, skills: [{ id: 'helper', problem: null }, { id: 'other', problem: null }] })
  t.equal((await take(second, body.id, body.skills.map(({ id }: { id: string }) => ({ id })))).status, 200)
  t.same(filesOf(join(rootOf(second), 'helper')), before)
  t.ok(archive.equals(await download(second, 'name=helper')), 'the same archive again')
})

t.test('imports are kept for a day, and not without end', async (t) => {
  const service = await start(t)
  const small = zipOf([{ name: 'a/SKILL.md', content: skillText('a') }])
  const ids: string[] = []
  for (let n = 0; n < 12; n++) ids.push((await inspect(service, 'a.zip', small)).body.id)
  t.equal(readdirSync(join(rootOf(service), '.imports')).length, 10)
  t.match(await take(service, ids[0] ?? '', [{ id: 'a' }]), { status: 404, body: { error: /no longer kept/ } })
  t.match(await take(service, ids[11] ?? '', [{ id: 'a' }]), { status: 200 })
  const { body: { entries } } = await service.get('/api/audit')
  t.match(entries[0], { kind: 'skill.imported', details: { skills: ['a'], replaced: [] } })
})
