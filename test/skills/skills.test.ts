import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { validate } from 'skills-ref'
import t from '#test'
import { skeletonOf } from '../../web/src/skills/catalog.js'
import { readSkill, writeSkill } from '../../web/src/skills/skill-text.js'
import { start, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { put } from '../support/folder.js'

const home = (service: TestService): string => join(service.folder, 'home')
const skillText = (name: string, more = ''): string => `---\nname: ${name}\ndescription: About ${name}\n${more}---\n\n# ${name}\n\nDo ${name}.\n`
const own = (service: TestService, place: string, text = skillText(place.split('/').at(-1)!)): void => put(join(home(service), 'skills', place, 'SKILL.md'), text)
const namesOf = async (service: TestService, query = ''): Promise<string[]> => (await service.get(`/api/skills${query}`)).body.skills.map(({ name }: { name: string }) => name)
const mayMount = mountable()
const shipped = ['code-review', 'commit-message', 'debugging', 'summarise-document', 'write-tests']

t.test('the skills that come with the service are whole, and can only be read', async (t) => {
  const service = await start(t)
  const { body } = await service.get('/api/skills')
  t.same(body.skills.map(({ name }: { name: string }) => name), shipped)
  for (const skill of body.skills) {
    t.match(skill, { disabled: false, origin: 'shipped', read_only: true, warning: null, shadows: [], path: `${skill.category}/${skill.name}/SKILL.md` })
    t.ok(skill.description.length > 60 && skill.tags.length > 0)
  }
  t.same(await namesOf(service, '?category=writing'), ['summarise-document'])
  const { body: view } = await service.get('/api/skills/content?name=code-review')
  t.match(view, { success: true, name: 'code-review', shadows: [], related_skills: ['write-tests', 'debugging'], linked_files: { references: ['references/checklist.md'], templates: [], scripts: [], assets: [] } })
  t.match(view.content, /^---\nname: code-review/)
  const file = await service.get('/api/skills/content?name=code-review&file=references/checklist.md')
  t.match(file.body, { content: /^# What is easily overlooked/, path: 'references/checklist.md' })
  t.match(await service.post('/api/skills/delete', { name: 'debugging' }), { status: 403, body: { error: /comes with the service/, code: 'read_only' } })
})

t.test('where skills come from, and which one of a name counts', async (t) => {
  const service = await start(t)
  own(service, 'plain', 'Just a text.\n')
  own(service, 'dev/ops/deploy', skillText('deploy', 'tags: a, b\nmetadata:\n  vendor:\n    tags: [other]\n    related_skills: [plain]\n'))
  own(service, 'debugging', skillText('debugging'))
  own(service, '.hidden/secret')
  own(service, 'mac-only', skillText('mac-only', 'platforms: [macos]\n'))
  own(service, 'here-too', skillText('here-too', 'platforms: [linux, macos, windows]\n'))
  put(join(service.folder, 'more', 'extra', 'SKILL.md'), skillText('extra'))
  put(join(service.folder, 'more', 'again', 'SKILL.md'), skillText('debugging'))
  put(join(service.folder, '.claude', 'skills', 'mine', 'SKILL.md'), skillText('mine'))
  put(join(home(service), 'config.yaml'), 'skills:\n  external_dirs: [~/more, /nowhere, "", 5]\n  disabled: [deploy]\n  platform_disabled:\n    webui: [mine]\n')
  const { body } = await service.get('/api/skills')
  const skills = Object.fromEntries(body.skills.map((skill: { name: string }) => [skill.name, skill]))
  t.same(Object.keys(skills).sort(), [...shipped, 'deploy', 'extra', 'here-too', 'mine', 'plain'].sort())
  t.match(skills['plain'], { category: '', description: 'Just a text.', warning: /no name/, origin: 'profile', read_only: false, tags: [] })
  t.match(skills['deploy'], { category: 'dev/ops', disabled: true, tags: ['a', 'b'], related_skills: ['plain'], path: 'dev/ops/deploy/SKILL.md' })
  t.match(skills['debugging'], { origin: 'profile', shadows: [{ origin: 'external', path: 'again/SKILL.md' }, { origin: 'shipped', path: 'development/debugging/SKILL.md' }] })
  t.match(skills['extra'], { origin: 'external', read_only: true })
  t.match(skills['mine'], { origin: 'claude', disabled: true })
  const { body: { profiles: [profile] } } = await service.get('/api/profiles')
  t.match(profile, { skill_count: 10, total_skills: 10, enabled_skills: 8 }, 'profiles count the same')
})

t.test('what lies around in the folder does no harm', async (t) => {
  const service = await start(t)
  const root = join(home(service), 'skills')
  const broken: Array<[string, string, RegExp]> = [
    ['yaml', '---\nname: [\n---\nText', /not valid YAML/],
    ['open', '---\nname: open\n', /has no end/],
    ['list', '---\n- a\n---\n', /not a list of keys/],
    ['bomb', `---\na: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.split('').map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[at]}`).join(',')}]`).join('\n')}\n---\n`, /not valid YAML/],
    ['deep', `---\na: ${'['.repeat(15_000)}\n---\n`, /not valid YAML/],
    ['strange', '---\nname: "../../etc"\ndescription: d\n---\n', /The name is not one/],
    ['long', `---\nname: ${'n'.repeat(65)}\ndescription: d\n---\n`, /64 characters/],
    ['tag', '---\nname: !!js/function "x"\ndescription: d\n---\n', /./]
  ]
  for (const [name, text] of broken) own(service, name, text)
  own(service, 'huge', `${skillText('huge')}${'x'.repeat(10 * 1024 * 1024)}`)
  own(service, 'binary', '---\nname: binary\ndescription: d\n---\n')
  writeFileSync(join(root, 'binary', 'SKILL.md'), Buffer.concat([Buffer.from('---\nname: binary\ndescription: d\n---\n'), Buffer.from([0xff, 0xfe, 0])]))
  mkdirSync(join(root, 'pipe'))
  execFileSync('mkfifo', [join(root, 'pipe', 'SKILL.md')])
  mkdirSync(join(root, 'folder', 'SKILL.md'), { recursive: true })
  put(join(service.folder, 'outside', 'SKILL.md'), skillText('outside'))
  symlinkSync(join(service.folder, 'outside'), join(root, 'link'))
  mkdirSync(join(root, 'file-link'))
  symlinkSync(join(service.folder, 'outside', 'SKILL.md'), join(root, 'file-link', 'SKILL.md'))
  symlinkSync(root, join(root, 'loop'))
  const { body } = await service.get('/api/skills')
  const found = new Map<string, { warning: string }>(body.skills.map((skill: { name: string }) => [skill.name, skill]))
  for (const [name, , warning] of broken) if (name !== 'tag') t.match(found.get(name)?.warning, warning, name)
  for (const name of ['pipe', 'folder', 'link', 'outside', 'file-link', 'loop']) t.notOk(found.has(name), name)
  t.equal(found.size, shipped.length + broken.length + 2)
  t.match(await service.get('/api/skills/content?name=huge'), { status: 404, body: { code: 'too_large' } })
  t.match(await service.get('/api/skills/content?name=binary'), { status: 400, body: { code: 'not_text' } })
  t.match((await service.get('/api/skills/content?name=yaml')).body, { success: true, content: /^---\nname: \[/ })
})

t.test('thousands of folders are looked at up to a limit', async (t) => {
  const service = await start(t)
  for (let at = 0; at < 4_200; at++) mkdirSync(join(home(service), 'skills', `empty-${String(at).padStart(5, '0')}`), { recursive: true })
  own(service, 'aaa')
  t.ok((await namesOf(service)).includes('aaa'))
})

t.test('a change on disk is seen, whoever makes it', async (t) => {
  const service = await start(t)
  own(service, 'first')
  t.ok((await namesOf(service)).includes('first'))
  own(service, 'first', skillText('renamed'))
  await eventually('the new name', async () => (await namesOf(service)).includes('renamed'))
  own(service, 'deep/second')
  await eventually('another one', async () => (await namesOf(service)).includes('second'))
  rmSync(join(home(service), 'skills', 'deep'), { recursive: true })
  await eventually('its end', async () => !(await namesOf(service)).includes('second'))
})

t.test('a skill is saved, changed and deleted', async (t) => {
  const service = await start(t)
  t.same((await service.post('/api/skills/save', { name: ' My  Skill ', content: skillText('my-skill'), category: 'New things' })).body, { ok: true, name: 'my-skill', path: 'New-things/my-skill/SKILL.md' })
  t.match((await service.get('/api/skills/content?name=my-skill')).body, { success: true, content: skillText('my-skill'), category: 'New-things', path: 'New-things/my-skill/SKILL.md' })
  t.match((await service.post('/api/skills/save', { name: 'my-skill', content: skillText('my-skill', 'license: MIT\n'), category: null })).body, { path: 'New-things/my-skill/SKILL.md' }, 'it stays where it is')
  t.equal(readFileSync(join(home(service), 'skills', 'New-things', 'my-skill', 'SKILL.md'), 'utf8'), skillText('my-skill', 'license: MIT\n'))
  t.match(await service.post('/api/skills/save', { name: 'my-skill', content: 'x', category: 'elsewhere' }), { status: 409, body: { code: 'exists' } })
  t.match(await service.post('/api/skills/save', { name: 'debugging', content: skillText('debugging') }), { status: 200 }, 'one of the profile hides one that comes with the service')
  t.match((await service.get('/api/skills/content?name=debugging')).body, { origin: 'profile' })
  put(join(home(service), 'skills', 'New-things', 'my-skill', 'references', 'a.md'), 'A')
  t.same((await service.post('/api/skills/delete', { name: 'my-skill' })).body, { ok: true, name: 'my-skill' })
  t.same(readdirSync(join(home(service), 'skills', 'New-things')), [], 'with all its files')
  t.match(await service.post('/api/skills/delete', { name: 'my-skill' }), { status: 404, body: { error: 'Skill not found: my-skill' } })
  t.match((await service.post('/api/skills/delete', { name: 'debugging' })).body, { ok: true })
  t.match((await service.get('/api/skills/content?name=debugging')).body, { origin: 'shipped' }, 'which is there again')
})

t.test('of two skills with one name, the one that is read is the one that is saved', async (t) => {
  const service = await start(t)
  own(service, 'agent', skillText('tidy'))
  own(service, 'tidy', 'Just a text.')
  const { body: read } = await service.get('/api/skills/content?name=tidy')
  t.match(read, { path: 'agent/SKILL.md' })
  t.match((await service.post('/api/skills/save', { name: 'tidy', content: skillText('tidy', 'license: MIT\n'), version: read.version })), { status: 200, body: { path: 'agent/SKILL.md' } })
  t.match((await service.get('/api/skills/content?name=tidy')).body, { content: skillText('tidy', 'license: MIT\n') })
  t.equal(readFileSync(join(home(service), 'skills', 'tidy', 'SKILL.md'), 'utf8'), 'Just a text.', 'the other one is as it was')
})

t.test('a skill that departs from the open specification is saved with a warning', async (t) => {
  const service = await start(t)
  const save = async (name: string, content: string) => await service.post('/api/skills/save', { name, content })
  const matter = (lines: string): string => `---\n${lines}\n---\nDo it.\n`
  const departing: Array<[name: string, content: string, warning: RegExp]> = [
    ['plain', 'Just a text.', /no name.*no description/],
    ['open', '---\nname: open\n', /has no end/],
    ['Große-Ausgabe', matter('name: Große-Ausgabe\ndescription: d'), /The name is not one/],
    ['my_skill', matter('name: my_skill\ndescription: d'), /The name is not one/],
    ['a--b', matter('name: a--b\ndescription: d'), /The name is not one/],
    ['folder', matter('name: tidy\ndescription: d'), /not that of the skill's folder/],
    ['wordy', matter(`name: wordy\ndescription: ${'d'.repeat(1_025)}`), /more than 1024 characters/],
    ['fussy', matter(`name: fussy\ndescription: d\ncompatibility: ${'d'.repeat(501)}`), /compatibility is not a text of 500/],
    ['tools', matter('name: tools\ndescription: d\nallowed-tools: [Read, Write]\nmetadata: none\nlicense: 5'), /license.*metadata.*allowed-tools/],
    ['fields', matter('name: fields\ndescription: d\nargument-hint: x\nmodel: y'), /below metadata: argument-hint, model/]
  ]
  for (const [name, content] of departing) t.match(await save(name, content), { status: 200 }, name)
  const { body } = await service.get('/api/skills')
  for (const [name, , warning] of departing) t.match(body.skills.find(({ path }: { path: string }) => path === `${name.toLowerCase()}/SKILL.md`).warning, warning, name)
  t.match(await save('folder', matter('name: tidy\ndescription: other')), { status: 200, body: { name: 'tidy', path: 'folder/SKILL.md' } }, 'the answer has the name that counts')
  const saved = [writeSkill('', { name: 'Über Nacht', description: 'Say "what": # is new', body: 'One\n---\ntwo' }), writeSkill('', { name: '2024', description: '- d', body: 'b' }), skeletonOf('a b', 'd', 'b')]
  for (const content of saved) {
    const { status, body: { path } } = await save(readSkill(content).name, content)
    t.equal(status, 200)
    t.same(await validate(join(home(service), 'skills', dirname(path))), [], path)
  }
  t.match(await save('older', matter('name: older\ndescription: d\nversion: 1.0.0\ntags: [a]')), { status: 200 }, 'fields that agents keep at the top stay')
  t.match((await service.get('/api/skills/content?name=older')).body, { tags: ['a'], warning: /below metadata: version, tags/ })
  own(service, 'mac', matter('name: mac\ndescription: d\nmetadata: { platforms: macos, tags: "a, b" }'))
  own(service, 'other', matter('name: other\ndescription: d\nmetadata: { platforms: "claude, codex", tags: "a, b" }'))
  await eventually('another one', async () => (await namesOf(service)).includes('other'))
  t.notOk((await namesOf(service)).includes('mac'), 'platforms may stand below metadata')
  t.match((await service.get('/api/skills/content?name=other')).body, { tags: ['a', 'b'], warning: null })
  for (const { path } of body.skills.filter(({ origin }: { origin: string }) => origin === 'shipped')) t.same(await validate(join('skills', dirname(path))), [], path)
})

t.test('what cannot be saved or read', async (t) => {
  const service = await start(t)
  const root = join(home(service), 'skills')
  own(service, 'good')
  put(join(service.folder, 'outside.md'), 'secret')
  put(join(root, 'file'), 'in the way')
  symlinkSync(service.folder, join(root, 'category-link'))
  symlinkSync(service.folder, join(root, 'skill-link'))
  mkdirSync(join(root, 'text-link'))
  symlinkSync(join(service.folder, 'outside.md'), join(root, 'text-link', 'SKILL.md'))
  const refused = async (body: unknown, status: number, error: RegExp): Promise<void> => {
    t.match(await service.post('/api/skills/save', body), { status, body: { error } }, JSON.stringify(body).slice(0, 80))
  }
  for (const name of ['a/b', '..', 'a..b', '../x', '.hidden', '-x', 'a\0b', 'n'.repeat(65), '   ']) await refused({ name, content: 'x' }, 400, /Invalid skill name/)
  for (const category of ['a/b', '..', '.git']) await refused({ name: 'x', content: 'x', category }, 400, /Invalid category/)
  await refused({ name: 'skill-link', content: skillText('skill-link') }, 400, /symbolic link/)
  await refused({ name: 'x', category: 'category-link', content: skillText('x') }, 400, /symbolic link/)
  await refused({ name: 'text-link', content: skillText('text-link') }, 400, /symbolic link/)
  await refused({ name: 'file', content: skillText('file') }, 400, /is a file/)
  await refused({ name: 'x' }, 400, /Missing required field\(s\): content/)
  await refused({ name: 5, content: 'x' }, 400, /name/)
  await refused({ name: 'x', content: skillText('x') + 'x'.repeat(1024 * 1024) }, 413, /./)
  t.equal(readFileSync(join(service.folder, 'outside.md'), 'utf8'), 'secret')
  t.notOk(existsSync(join(service.folder, 'SKILL.md')))

  symlinkSync(join(service.folder, 'outside.md'), join(root, 'good', 'leak.md'))
  mkdirSync(join(root, 'good', 'references'))
  execFileSync('mkfifo', [join(root, 'good', 'references', 'pipe')])
  for (const file of ['../file', '/etc/passwd', 'references/../../file', 'leak.md', 'a\0b']) {
    t.match(await service.get(`/api/skills/content?name=good&file=${encodeURIComponent(file)}`), { status: 400, body: { error: 'Invalid file path' } }, file)
  }
  for (const file of ['nothing.md', 'references', 'references/pipe', 'SKILL.md/x']) {
    t.match(await service.get(`/api/skills/content?name=good&file=${file}`), { status: 404, body: { error: 'File not found' } }, file)
  }
  t.same(await service.get('/api/skills/content?name=nothing').then(({ status, body }) => ({ status, body })), { status: 404, body: { success: false, error: 'Skill not found: nothing' } })
  t.match(await service.get('/api/skills/content?name=nothing&file=a'), { status: 404, body: { success: false, error: 'Skill not found: nothing' } })
  t.match(await service.get('/api/skills/content'), { status: 400 })
})

t.test('many who save the same skill at once leave one whole text', async (t) => {
  const service = await start(t)
  const texts = Array.from({ length: 20 }, (_, at) => skillText('same', `version: ${at}\n`) + 'x'.repeat(20_000 * at))
  const answers = await Promise.all(texts.map(async (content) => await service.post('/api/skills/save', { name: 'same', content })))
  t.ok(answers.every(({ status }) => status === 200))
  t.ok(texts.includes(readFileSync(join(home(service), 'skills', 'same', 'SKILL.md'), 'utf8')))
  t.same(readdirSync(join(home(service), 'skills', 'same')), ['SKILL.md'])
})

t.test('of two who have read the same text the second one is told', async (t) => {
  const service = await start(t)
  const save = async (text: string, version?: string | null) => await service.post('/api/skills/save', { name: 'shared', content: `${skillText('shared')}${text}`, version })
  t.match(await save('', 'none'), { status: 200 })
  t.match(await save('Mine.', 'none'), { status: 409, body: { code: 'changed' } }, 'there is one by now')
  const { version } = (await service.get('/api/skills/content?name=shared')).body
  const both = await Promise.all([save('First.', version), save('Second.', version)])
  t.same(both.map(({ status }) => status).sort(), [200, 409])
  t.match(await save('Third.'), { status: 200 }, 'who names no version replaces any')
  own(service, 'shared', 'Edited by hand.')
  t.match(await save('Fourth.', version), { status: 409 })
  t.match(await save('Fourth.', null), { status: 200 })
  t.match(await save('Fifth.', 'x'.repeat(200)), { status: 400 })
  t.same(readdirSync(join(home(service), 'skills', 'shared')), ['SKILL.md'], 'nothing is left beside')
})

t.test('a full disk is said to be full', { skip: !mayMount && 'needs a mount namespace' }, async (t) => {
  const service = await start(t)
  own(service, 'full')
  await service.get('/api/skills')
  const folder = join(home(service), 'skills', 'full')
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'none', folder])
  t.teardown(() => execFileSync('umount', [folder]))
  const long = skillText('full') + 'x'.repeat(200_000)
  t.match(await service.post('/api/skills/save', { name: 'full', content: long }), { status: 503, body: { error: 'The disk is full. Nothing was written', code: 'disk_full' } })
  t.same(readdirSync(folder), [])
  const memories = join(home(service), 'memories')
  mkdirSync(memories, { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=0700', 'none', memories])
  t.teardown(() => execFileSync('umount', [memories]))
  t.match(await service.post('/api/memory/write', { section: 'memory', content: 'x'.repeat(19_000) }), { status: 503, body: { code: 'disk_full' } })
})

t.test('a skill is switched off and on in config.yaml, whose comments stay', async (t) => {
  const service = await start(t)
  const config = join(home(service), 'config.yaml')
  writeFileSync(config, '# mine\nskills:\n  # those I do not want\n  disabled:\n    - old # long gone\n  platform_disabled:\n    webui: [debugging]\nother: 1 # stays\n')
  t.same((await service.post('/api/skills/toggle', { name: 'code-review', enabled: false })).body, { ok: true, name: 'code-review', enabled: false })
  t.equal(readFileSync(config, 'utf8'), '# mine\nskills:\n  # those I do not want\n  disabled:\n    - old # long gone\n    - code-review\n  platform_disabled:\n    webui: [ debugging, code-review ]\nother: 1 # stays\n')
  t.match((await service.get('/api/skills/content?name=code-review')).body, { disabled: true })
  await service.post('/api/skills/toggle', { name: 'code-review', enabled: true })
  t.same((await service.post('/api/skills/toggle', { name: 'debugging', enabled: true })).body, { ok: true, name: 'debugging', enabled: true })
  t.equal(readFileSync(config, 'utf8'), '# mine\nskills:\n  # those I do not want\n  disabled:\n    - old # long gone\n  platform_disabled:\n    webui: []\nother: 1 # stays\n')
  t.ok((await service.get('/api/skills')).body.skills.every(({ disabled }: { disabled: boolean }) => !disabled))
  t.match(await service.post('/api/skills/toggle', { name: 'nothing', enabled: true }), { status: 404, body: { error: 'Skill not found: nothing' } })
  t.match(await service.post('/api/skills/toggle', { name: 'debugging', enabled: 'yes' }), { status: 400 })
  writeFileSync(config, 'skills: [\n')
  t.match(await service.post('/api/skills/toggle', { name: 'debugging', enabled: false }), { status: 409, body: { code: 'config_broken' } })
  t.equal(readFileSync(config, 'utf8'), 'skills: [\n')
})

t.test('how often skills are used is counted beside them', async (t) => {
  const service = await start(t)
  const file = join(home(service), 'skills', '.usage.json')
  put(file, JSON.stringify({ debugging: { use_count: 2, view_count: 'x', pinned: true }, broken: 5 }))
  const { skills } = service.app
  for (const kind of ['use', 'view', 'view', 'patch'] as const) skills.note('default', 'debugging', kind)
  skills.note('default', 'code-review', 'use')
  const expected = {
    usage: { debugging: { use_count: 3, view_count: 2, patch_count: 1, pinned: true }, 'code-review': { use_count: 1, view_count: 0, patch_count: 0 } },
    skill_names: shipped,
    total_invocations: 6,
    unique_skills_used: 2
  }
  t.match((await service.get('/api/skills/usage')).body, expected, 'at once')
  await skills.usage.flush()
  t.match(JSON.parse(readFileSync(file, 'utf8')), expected.usage)
  t.match((await service.get('/api/skills/usage')).body, expected)
  writeFileSync(file, 'garbage')
  t.match((await service.get('/api/skills/usage')).body, { usage: {}, total_invocations: 0, unique_skills_used: 0 })
  skills.note('default', 'debugging', 'use')
  await service.stop()
  t.match(JSON.parse(readFileSync(file, 'utf8')), { debugging: { use_count: 1 } }, 'and when the service stops')
})

function mountable (): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'none', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}
