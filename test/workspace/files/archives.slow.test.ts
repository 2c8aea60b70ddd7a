import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '#test'
import { type Answer, start } from '../../support/app.js'
import { tarOf, type TarMember, zipOf, type ZipMember } from '../../support/archives.js'
import { sendForm } from '../../support/forms.js'
import { outsideOf, whileSwapping } from '../../support/swaps.js'

const service = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '2' } })
const id = await service.newSession()
const at = (...parts: string[]): string => join(service.workspace, ...parts)
const upload = (filename: string, content: Uint8Array, path?: string): Promise<Answer> => sendForm(`${service.url}/api/upload/extract`, [
  { name: 'session_id', content: id }, ...(path === undefined ? [] : [{ name: 'path', content: path }]), { name: 'file', filename, content }
])
const extract = (body: object): Promise<Answer> => service.post('/api/file/extract', { session_id: id, ...body })
const tree = (folder: string): string[] => readdirSync(at(folder), { recursive: true }).map(String).sort()
const tree0 = (): string[] => tree('.').filter((name) => !name.includes('/'))

const project = [
  { name: 'project/', content: '', mode: 0o040755 }, { name: 'project/read me.md', content: '# Hello', mode: 0o100600 }, { name: 'project/run.sh', content: '#!/bin/sh\n', mode: 0o104755 },
  { name: 'project/src/deep/er/a.txt', content: 'a'.repeat(10_000), mode: 0o100644 }, { name: './dotted.txt', content: 'x', mode: 0o100644 }, { name: '漢字.txt', content: '漢字', mode: 0o100644 }
]
const unpacked = ['dotted.txt', 'project', 'project/read me.md', 'project/run.sh', 'project/src', 'project/src/deep', 'project/src/deep/er', 'project/src/deep/er/a.txt', '漢字.txt'].sort()

t.test('every kind of archive', async (t) => {
  const members: TarMember[] = project.map(({ name, content, mode }) => name.endsWith('/') ? { name, type: 'directory', mode: mode & 0o7777 } : { name, content, mode: mode & 0o7777 })
  const tar = await tarOf(members)
  const kinds: Array<[name: string, bytes: Buffer]> = [['work.zip', zipOf(project)], ['work.tar', tar], ['work.tar.gz', gzipSync(tar)], ['work.tgz', gzipSync(tar)]]
  for (const [index, [name, bytes]] of kinds.entries()) {
    const answer = await upload(name, bytes)
    const dest = index === 0 ? 'work' : `work-${index + 1}`
    t.match(answer, { status: 200, body: { ok: true, extracted: 5, truncated: false, skipped: 0, dest } }, name)
    t.same(answer.body.files.sort(), unpacked.filter((path) => /\.\w+$/.test(path)).map((path) => `${dest}/${path}`).sort())
    t.same(tree(dest), unpacked)
    t.equal(readFileSync(at(dest, 'project/src/deep/er/a.txt'), 'utf8'), 'a'.repeat(10_000))
    const mode = (path: string): number => statSync(at(dest, path)).mode & 0o7777
    t.same([mode('project/run.sh'), mode('project/read me.md'), mode('.')].map((bits) => bits.toString(8)), [0o755, 0o644, 0o777].map((bits) => (bits & ~process.umask()).toString(8)), 'nothing but what may be run is kept of modes')
  }
  t.match(await upload('empty.zip', zipOf([])), { status: 200, body: { extracted: 0, files: [], dest: 'empty' } })
})

t.test('an archive that lies in the workspace', async (t) => {
  mkdirSync(at('in'))
  writeFileSync(at('in', 'work.zip'), zipOf(project))
  t.match(await extract({ path: 'in/work.zip' }), { status: 200, body: { extracted: 5, dest: 'in/work' } })
  t.match(await extract({ path: 'in/work.zip', dest_dir: null }), { status: 200, body: { dest: 'in/work-2' } })
  t.match(await extract({ path: 'in/work.zip', dest_dir: '.' }), { status: 200, body: { dest: 'work-5' } })
  t.same(tree('in/work'), unpacked)
  for (const [body, status] of [[{ path: 'in/none.zip' }, 404], [{ path: 'in' }, 404], [{ path: 'in/work.zip', dest_dir: 'none' }, 404], [{ path: '../x.zip' }, 404], [{ path: 'in/work.zip', dest_dir: '..' }, 404], [{}, 400]] as const) {
    t.match(await extract(body), { status }, JSON.stringify(body))
  }
  for (const content of ['', 'PK', 'hello', 'x'.repeat(2_000)]) {
    writeFileSync(at('in', 'none.zip'), content)
    t.match(await extract({ path: 'in/none.zip' }), { status: 400, body: { code: 'not_an_archive' } }, content.slice(0, 5))
  }
  execFileSync('mkfifo', [at('in', 'pipe.zip')])
  t.match(await extract({ path: 'in/pipe.zip' }), { status: 404 })
})

t.test('repositories in archives are left out', async (t) => {
  const bytes = zipOf([{ name: 'r/a.txt', content: 'a' }, { name: 'r/.git/config', content: '[core]\nfsmonitor = evil' }, { name: 'r/.git/hooks/pre-commit', content: 'evil', mode: 0o100755 }, { name: 'r/sub/.GIT', content: 'gitdir: /x' }, { name: 'r/.gitignore', content: 'x' }])
  t.match(await upload('repo.zip', bytes), { status: 200, body: { extracted: 2, skipped: 3, files: ['repo/r/a.txt', 'repo/r/.gitignore'] } })
  t.same(tree('repo'), ['r', 'r/.gitignore', 'r/a.txt'])
})

t.test('names that the service keeps for itself are left out', async (t) => {
  const bytes = zipOf([{ name: 'a.txt', content: 'a' }, { name: '.agent-trash/x', content: 'x' }, { name: 'sub/.AGENT-trash', content: 'x' }, { name: 'sub/.agent-0123456789abcdef.tmp/x', content: 'x' }])
  t.match(await upload('own.zip', bytes), { status: 200, body: { extracted: 1, skipped: 3, files: ['own/a.txt'] } })
  t.same(tree('own'), ['a.txt'])
})

t.test('files keep their moment of change', async (t) => {
  const moment = new Date('2020-02-03T04:05:06Z')
  const tar = await tarOf([{ name: 'old.txt', content: 'old', mtime: moment }, { name: 'odd.txt', content: 'odd', mtime: new Date(0) }])
  t.match(await upload('times.tar', tar), { status: 200, body: { extracted: 2 } })
  t.equal(statSync(at('times', 'old.txt')).mtimeMs, moment.getTime())
  t.ok(statSync(at('times', 'odd.txt')).mtimeMs > moment.getTime(), 'unless it is none')
})

t.test('what a killed service was unpacking goes when it starts again', { long: true }, async (t) => {
  const folder = t.testdir({})
  const notes = join(folder, 'home', 'webui', 'unfinished')
  const [left, foreign] = ['.agent-0123456789abcdef.tmp', '.agent-fedcba9876543210.tmp']
  for (const path of [join(folder, 'workspace', 'sub', left, 'deep'), join(folder, 'workspace', foreign), notes]) mkdirSync(path, { recursive: true })
  writeFileSync(join(folder, 'workspace', 'sub', left, 'deep', 'half'), 'half')
  writeFileSync(join(notes, left), JSON.stringify({ root: realpathSync(join(folder, 'workspace')), folder: 'sub' }))
  writeFileSync(join(notes, foreign), '{"root":')
  writeFileSync(join(notes, 'sub'), JSON.stringify({ root: realpathSync(join(folder, 'workspace')), folder: '.' }))
  const again = await start(t, { folder })
  for (let n = 0; n < 1_000 && readdirSync(notes).length > 1; n++) await new Promise((resolve) => setTimeout(resolve, 10))
  t.same(readdirSync(notes), ['sub'], 'a note about anything else is none')
  t.same(readdirSync(again.workspace, { recursive: true }).map(String).sort(), [foreign, 'sub'])
  const session = await again.newSession()
  t.match(await sendForm(`${again.url}/api/upload/extract`, [{ name: 'session_id', content: session }, { name: 'file', filename: 'a.zip', content: zipOf(project) }]), { status: 200 })
  t.same(readdirSync(notes), ['sub'], 'what is finished is forgotten')
})

t.test('names in archives keep the marks and joiners that scripts need', async (t) => {
  const names = ['می\u200cخواهم.txt', 'א\u200f.txt', '👩\u200d💻.txt', 'soft\u00adhyphen.txt']
  t.match(await upload('names.zip', zipOf(names.map((name) => ({ name, content: 'x' })))), { status: 200 })
  t.same(tree('names').map((path) => path.slice(path.lastIndexOf('/') + 1)).sort(), [...names].sort())
})

t.test('an archive is taken whole or not at all', async (t) => {
  const good: ZipMember = { name: 'good.txt', content: 'good' }
  const links: TarMember[] = [{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }, { name: 'l', type: 'link', linkname: 'good.txt' }, { name: 'd', type: 'character-device' }, { name: 'b', type: 'block-device' }, { name: 'p', type: 'fifo' }]
  const names = ['../evil.txt', 'a/../../evil.txt', '/etc/evil', 'C:evil', 'c:/evil', 'a\\..\\evil', 'zero\0name', 'line\nbreak', 'c1\u009bname', 'cod\u202etxt.exe', 'in/a\u2066b', `${'x'.repeat(256)}`, `${'d/'.repeat(41)}x`, `${'long-folder-name/'.repeat(150)}x`]
  const zero = Buffer.alloc(5 * 1024 * 1024)
  const zips: Array<[what: string, members: ZipMember[]]> = [
    ...names.map((name): [string, ZipMember[]] => [JSON.stringify(name.slice(0, 30)), [{ name, content: 'x' }]]),
    ['a symlink', [{ name: 'l', content: '/etc/passwd', mode: 0o120777 }]], ['a device', [{ name: 'd', mode: 0o020666 }]], ['a folder that is a link', [{ name: 'l/', mode: 0o120777 }]],
    ['an encrypted file', [{ name: 'e', content: 'x', says: { flags: 1 } }]], ['another method', [{ name: 'e', content: 'x', says: { method: 14 } }]], ['the same name', [{ name: 'a', content: '1' }, { name: './a', content: '2' }]],
    ['a file that is a folder', [{ name: 'a', content: '1' }, { name: 'a/b', content: '2' }]], ['a folder that is a file', [{ name: 'a/b', content: '1' }, { name: 'a', content: '2' }]],
    ['more than is said', [{ name: 'a', content: 'x'.repeat(1_000), says: { size: 10 } }]], ['less than is said', [{ name: 'a', content: 'x', says: { size: 1_000 } }]], ['a stored file of another size', [{ name: 'a', content: 'xxx', deflate: false, says: { size: 2 } }]],
    ['files on top of each other', [{ name: 'a', content: 'x'.repeat(100) }, { name: 'a', content: 'x'.repeat(100), says: { offset: 0 } }]], ['two names for one file', [{ name: 'a', content: 'x', says: { localName: 'b' } }]],
    ['a bomb', [{ name: 'zero', content: zero }]], ['a large one', [{ name: 'a', content: 'x', says: { size: 25 * 1024 * 1024 } }]], ['many files', Array.from({ length: 10_001 }, (_, n) => ({ name: `${n}`, deflate: false }))],
    ['many folders', Array.from({ length: 300 }, (_, n) => ({ name: `${`${n}/`}${'f/'.repeat(38)}x`, deflate: false }))], ['packed bytes beyond the end', [{ name: 'a', content: 'x', says: { packed: 100_000 } }]]
  ]
  const archives: Array<[what: string, name: string, bytes: Buffer]> = zips.map(([what, members]) => [`zip: ${what}`, 'bad.zip', zipOf([good, ...members])])
  const tarNames = names.filter((name) => !name.includes('\0'))
  for (const member of [...links, ...tarNames.map((name): TarMember => ({ name, content: 'x' })), { name: 'good.txt', content: 'twice' }, { name: 'good.txt/x', content: 'x' }]) {
    const bytes = await tarOf([{ name: 'good.txt', content: 'good' }, member])
    archives.push([`tar: ${member.type ?? ''} ${JSON.stringify(member.name.slice(0, 30))}`, 'bad.tar', bytes], [`tar.gz: ${member.type ?? ''} ${JSON.stringify(member.name.slice(0, 30))}`, 'bad.tgz', gzipSync(bytes)])
  }
  const tar = await tarOf([{ name: 'good.txt', content: 'good'.repeat(1_000) }])
  archives.push(['a cut tar', 'bad.tar', tar.subarray(0, 1_500)], ['a cut gzip', 'bad.tgz', gzipSync(tar).subarray(0, -10)], ['gzip of no tar', 'bad.tgz', gzipSync('hello'.repeat(500))], ['a cut zip', 'bad.zip', zipOf(project).subarray(0, -30)],
    ['a bomb in gzip', 'bad.tgz', gzipSync(await tarOf([{ name: 'zero', content: zero.toString() }]))], ['gzip without an end', 'bad.tgz', gzipSync(Buffer.alloc(60 * 1024 * 1024))], ['a damaged file', 'bad.zip', Buffer.from(zipOf([{ name: 'a', content: 'abcdef'.repeat(50) }]).map((byte, index) => index === 40 ? byte ^ 0xff : byte))])
  const before = tree('.')
  for (const [what, name, bytes] of archives) t.match(await upload(name, bytes), { status: 400, body: { code: 'unsafe_archive', error: /^This archive was not unpacked: / } }, what)
  t.same(tree('.'), before, 'nothing is left of any of them')
  t.match(await upload('bad.zip', Buffer.from('hello')), { status: 400, body: { code: 'not_an_archive' } })
  t.match(await upload('large.zip', Buffer.alloc(3 * 1024 * 1024)), { status: 413, body: { error: 'File too large (max 2MB)' } })
})

t.test('what is there already stays', async (t) => {
  writeFileSync(at('taken'), 'mine')
  symlinkSync('nowhere', at('taken-2'))
  mkdirSync(at('taken-3'))
  t.match(await upload('taken.zip', zipOf(project)), { status: 200, body: { dest: 'taken-4' } })
  t.equal(readFileSync(at('taken'), 'utf8'), 'mine')
  t.same(tree('taken-3'), [])
  const answers = await Promise.all(Array.from({ length: 6 }, () => upload('race.zip', zipOf(project))))
  t.equal(new Set(answers.map(({ body }) => body.dest)).size, 6)
  mkdirSync(at('shut'))
  mkdirSync(at('.agent-trash'), { recursive: true })
  t.match(await upload('a.zip', zipOf(project), '.agent-trash'), { status: 403 })
  t.match(await upload('.agent-trash.zip', zipOf(project)), { status: 200, body: { dest: 'agent-trash' } })
  t.notOk(tree0().some((name) => name.endsWith('.tmp')))
})

t.test('many files', { long: true }, async (t) => {
  const answer = await upload('many.zip', zipOf(Array.from({ length: 2_500 }, (_, n) => ({ name: `d${n % 50}/${n}.txt`, content: `${n}` }))))
  t.match(answer, { status: 200, body: { extracted: 2_500, truncated: true } })
  t.equal(answer.body.files.length, 1_000)
  t.equal(readFileSync(at('many', 'd49', '2499.txt'), 'utf8'), '2499')
})

t.test('archives of real programs', async (t) => {
  mkdirSync(at('real', 'sub'), { recursive: true })
  writeFileSync(at('real', 'sub', 'é.txt'), 'content')
  writeFileSync(at('real', 'run'), 'run')
  chmodSync(at('real', 'run'), 0o755)
  const programs: Array<[program: string, args: string[], made: string]> = [['zip', ['-q', '-r', 'made.zip', 'real'], 'made.zip'], ['tar', ['czf', 'made.tar.gz', 'real'], 'made.tar.gz'], ['tar', ['--format=pax', '-cf', 'pax.tar', 'real'], 'pax.tar'], ['tar', ['--format=v7', '-cf', 'old.tar.gz', '-z', 'real'], 'old.tar.gz']]
  for (const [program, args, made] of programs) {
    try {
      execFileSync(program, args, { cwd: service.workspace, stdio: 'pipe' })
    } catch (error) {
      if (process.env.CI === 'true') throw error
      t.comment(`${program} is not installed`)
      continue
    }
    const answer = await extract({ path: made })
    t.match(answer, { status: 200, body: { extracted: 2 } }, `${program} ${args.join(' ')}`)
    t.same(tree(answer.body.dest), ['real', 'real/run', 'real/sub', 'real/sub/é.txt'])
    t.equal(statSync(at(answer.body.dest, 'real', 'run')).mode & 0o111, 0o111 & ~process.umask())
  }
})

t.test('folders that are swapped for symlinks meanwhile lead nowhere', { long: true }, async (t) => {
  const outside = outsideOf(service.folder, { 'a.txt': 'outside' })
  mkdirSync(at('swap'))
  const before = outside.look()
  const count = await whileSwapping(t, service.workspace, outside.path, async () => {
    for (let n = 0; n < 25; n++) {
      const { status, text } = await upload('in.zip', zipOf(project), 'swap')
      if (![200, 404, 409].includes(status)) t.fail(`${status} ${text}`)
    }
  })
  t.ok(count >= 10_000)
  t.same(outside.look(), before)
  t.match(await upload('in.zip', zipOf(project), 'swap'), { status: 200 }, 'and when it is quiet again')
  t.notOk(existsSync(join(outside.path, 'in')))
})
