import fc from 'fast-check'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { disposition } from '../../../routes/shared/sending.js'
import { isActive, mediaKind, typeOf } from '../../../services/workspace/files/index.js'
import { watchSteadiness } from '../../../services/workspace/place/steadiness.js'
import { anyCharacter } from '../../support/any-character.js'
import { start, type Answer, type TestService } from '../../support/app.js'
import { hereOnly } from '../../support/programs.js'
import { ask, closedBelow, hostilePaths, layTraps, outsideName, outsideText, swap } from '../../support/workspace.js'
import { tries } from '../../support/tries.js'

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString()

async function prepared (t: Parameters<typeof start>[0], options: Parameters<typeof start>[1] = {}) {
  const service = await start(t, options)
  const id = await service.newSession()
  const { workspace } = service
  return {
    ...service,
    id,
    write: (path: string, content: string | Buffer = '') => {
      mkdirSync(join(workspace, path, '..'), { recursive: true })
      writeFileSync(join(workspace, path), content)
    },
    list: (path?: string, headers?: Record<string, string>) => service.get(`/api/list?${query({ session_id: id, ...(path === undefined ? {} : { path }) })}`, headers),
    file: (path: string) => service.get(`/api/file?${query({ session_id: id, path })}`),
    raw: (path: string, more: Record<string, string> = {}, headers?: Record<string, string>) => service.get(`/api/file/raw?${query({ session_id: id, path, ...more })}`, headers),
    rawUrl: (path: string) => `${service.url}/api/file/raw?${query({ session_id: id, path })}`,
    media: (path: string, more: Record<string, string> = {}, headers?: Record<string, string>) => service.get(`/api/media?${query({ path, ...more })}`, headers)
  }
}

t.test('a folder is listed with everything in it', async (t) => {
  const { workspace, write, list, folder, id, get } = await prepared(t)
  write('B.txt', '12345')
  write('a.txt')
  write('zeta/inner.txt', 'x')
  write('Alpha/.keep')
  write('.hidden')
  write('.agent-trash/gone.txt', 'x')
  symlinkSync('zeta', join(workspace, 'to-folder'))
  symlinkSync('a.txt', join(workspace, 'to-file'))
  symlinkSync(folder, join(workspace, 'to-outside'))
  const { status, body, headers } = await list()
  t.equal(status, 200)
  t.match(body, { path: '.', workspace, workspace_recovered: false, signature: /^[\w-]{22}$/ })
  t.same(body.entries.map(({ name }: { name: string }) => name), ['to-file', 'to-folder', 'to-outside', 'Alpha', 'zeta', '.hidden', 'a.txt', 'B.txt'], 'symlinks, folders, files; each by lower-case name')
  const named = (name: string) => body.entries.find((entry: { name: string }) => entry.name === name)
  t.match(named('B.txt'), { path: 'B.txt', type: 'file', is_dir: false, size: 5, workspace_sort_rank: 2 })
  t.match(named('zeta'), { type: 'dir', is_dir: true, size: null })
  t.match(named('to-folder'), { type: 'symlink', is_dir: true, size: null, target: 'zeta', target_outside_workspace: false })
  t.match(named('to-file'), { is_dir: false, target: 'a.txt', target_outside_workspace: false })
  t.match(named('to-outside'), { is_dir: false, target: folder, target_outside_workspace: true })
  t.ok(Number.isInteger(named('B.txt').mtime_ns))
  t.match(headers.get('cache-control'), 'no-cache')
  t.same((await list('zeta')).body.entries.map(({ path }: { path: string }) => path), ['zeta/inner.txt'])
  t.equal((await list('zeta/../zeta//')).body.path, 'zeta')
  t.equal((await list(join(workspace, 'zeta'))).body.path, 'zeta', 'the absolute path of a folder inside is one as well')
  t.equal((await list('to-folder')).body.path, 'zeta')
  t.equal((await get(`/api/list?session_id=${id}&path=`)).body.path, '.')
})

t.test('the signature of a list changes with the folder, and only then', async (t) => {
  const { workspace, write, list } = await prepared(t)
  write('a.txt', 'one')
  const { body: { signature }, headers } = await list()
  t.equal((await list()).body.signature, signature)
  const unchanged = await list('.', { 'if-none-match': headers.get('etag')! })
  t.equal(unchanged.status, 304)
  t.equal(unchanged.text, '')
  const changes: Array<[string, () => void]> = [
    ['a new file', () => write('b.txt')],
    ['another size', () => write('a.txt', 'three')],
    ['another time', () => utimesSync(join(workspace, 'a.txt'), 1, 1)],
    ['another name', () => renameSync(join(workspace, 'b.txt'), join(workspace, 'c.txt'))],
    ['a folder instead of a file', () => { rmSync(join(workspace, 'c.txt')); mkdirSync(join(workspace, 'c.txt')) }]
  ]
  let last = signature
  for (const [what, change] of changes) {
    change()
    const { status, body } = await list('.', { 'if-none-match': headers.get('etag')! })
    t.equal(status, 200)
    t.not(body.signature, last, what)
    last = body.signature
  }
})

t.test('names of every kind are listed and read', async (t) => {
  const { workspace, write, list, raw, file } = await prepared(t)
  const names = ['quo"te', 'back\\slash', 'new\nline', 'tab\t', '漢字.txt', 'é', 'e\u0301', '👩‍🚀.png', '\u202egnp.exe', '<b>', '#?&%20', 'C:name', ' lead', 'trail ', '-rf', "it's", ';,=', 'x'.repeat(255)]
  for (const name of names) write(name, name)
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0x62, 0xff, 0x64])]), 'bytes')
  const { status, body } = await list()
  t.equal(status, 200)
  t.same(new Set(body.entries.map(({ name }: { name: string }) => name)), new Set([...names, 'b\ufffdd']))
  for (const name of names) {
    t.equal((await file(name)).body.content, name)
    const answer = await raw(name)
    t.equal(answer.text, name)
    t.notMatch(answer.headers.get('content-disposition'), /[^\u0020-\u007e]/)
  }
})

t.test('file names are harmless in headers', async (t) => {
  t.equal(disposition('attachment', 'plan.txt'), 'attachment; filename="plan.txt"')
  t.equal(disposition('inline', 'a b.txt'), 'inline; filename="a b.txt"')
  t.equal(disposition('inline', '漢字.txt'), "inline; filename=\"_.txt\"; filename*=UTF-8''%E6%BC%A2%E5%AD%97.txt")
  fc.assert(fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 80 }), (name) => {
    const header = disposition('attachment', name)
    return /^attachment; filename="[ !#-[\]-~]*"(?:; filename\*=UTF-8''[\w!#$&+.^`|~%-]+)?$/.test(header) && !/%(?:0[0-9A-F]|1[0-9A-F]|7F|E2%80%A[A-E])/.test(header)
  }), { numRuns: tries(2_000) })
})

t.test('a file is read as text', async (t) => {
  const { write, file } = await prepared(t)
  write('src/a.ts', 'one\ntwo\n')
  const { status, body } = await file('src/a.ts')
  t.equal(status, 200)
  t.match(body, { path: 'src/a.ts', content: 'one\ntwo\n', size: 8, lines: 3, is_binary: false, is_lossy: false, preview: null, mime: 'text/plain', version: /^[\w-]{22}$/ })
  t.ok(Number.isInteger(body.mtime_ns))
  write('empty', '')
  t.match((await file('empty')).body, { content: '', size: 0, lines: 1 })
  write('src/a.ts', 'one\ntwo')
  const again = (await file('src/a.ts')).body
  t.equal(again.lines, 2)
  t.not(again.version, body.version)
  write('other.ts', 'one\ntwo')
  t.equal((await file('other.ts')).body.version, again.version, 'a version names the content')
  write('latin', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))
  t.match((await file('latin')).body, { content: 'caf\ufffd\n', size: 5, lines: 2, is_lossy: true, is_binary: false })
  write('binary', Buffer.from([0x7f, 0x45, 0, 0xff]))
  t.match((await file('binary')).body, { size: 4, is_lossy: true, is_binary: true })
})

t.test('a text may have 400,000 bytes and not one more', async (t) => {
  const { write, file } = await prepared(t)
  write('most', 'é'.repeat(200_000))
  t.match((await file('most')).body, { size: 400_000, lines: 1 })
  write('more', 'x'.repeat(400_001))
  const refused = await file('more')
  t.equal(refused.status, 404)
  t.equal(refused.body.error, 'File too large (400001 bytes, max 400000)')
})

t.test('what a folder view asks for has to be named', async (t) => {
  const { get, id, file, list } = await prepared(t)
  for (const path of ['/api/list', '/api/file', `/api/file?session_id=${id}`, `/api/file/raw?session_id=${id}`, '/api/media', `/api/folder/download?session_id=${id}`]) t.equal((await get(path)).status, 400, path)
  for (const path of ['/api/list?session_id=nobody', '/api/file?session_id=nobody&path=a', '/api/file/raw?session_id=nobody&path=a', '/api/folder/download?session_id=nobody&path=.']) {
    t.match(await get(path), { status: 404, body: { error: 'Session not found' } })
  }
  t.equal((await file('missing')).status, 404)
  t.equal((await file('.')).status, 404)
  t.equal((await list('missing')).status, 404)
})

t.test('the bytes of a file, whole and in parts', async (t) => {
  const { write, raw, rawUrl, workspace } = await prepared(t)
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251))
  write('part.bin', bytes)
  utimesSync(join(workspace, 'part.bin'), 1_700_000_000, 1_700_000_000)
  const whole = await fetch(rawUrl('part.bin'))
  t.same(Buffer.from(await whole.arrayBuffer()), bytes)
  t.match(Object.fromEntries(whole.headers), {
    'content-type': 'application/octet-stream', 'content-length': '1000', 'accept-ranges': 'bytes', 'last-modified': new Date(1_700_000_000_000).toUTCString(),
    'content-disposition': 'inline; filename="part.bin"', 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff'
  })
  const etag = whole.headers.get('etag')!
  t.match(etag, /^"[\w-]+"$/, 'a strong one')

  const part = async (headers: Record<string, string>): Promise<[number, string | null, number]> => {
    const answer = await fetch(rawUrl('part.bin'), { headers })
    return [answer.status, answer.headers.get('content-range'), (await answer.arrayBuffer()).byteLength]
  }
  const modified = new Date(1_700_000_000_000).toUTCString()
  t.same(await part({ range: 'bytes=0-99', 'if-range': etag }), [206, 'bytes 0-99/1000', 100])
  t.same(await part({ range: 'bytes=0-99', 'if-range': modified }), [206, 'bytes 0-99/1000', 100])
  t.same(await part({ range: 'bytes=0-99', 'if-range': '"other"' }), [200, null, 1_000])
  t.same(await part({ range: 'bytes=0-99', 'if-range': `W/${etag}` }), [200, null, 1_000])
  t.same((await part({ range: 'bytes=1000-' })).slice(0, 2), [416, 'bytes */1000'])
  t.same(await part({ range: 'bytes=0-0,5-6' }), [200, null, 1_000], 'several parts are not made')
  t.same(await part({ range: 'lines=0-5' }), [200, null, 1_000])
  t.same(await part({ range: 'bytes=nonsense' }), [200, null, 1_000])
  t.same(await part({ 'if-none-match': `"x", W/${etag}` }), [304, null, 0])
  t.same(await part({ 'if-modified-since': modified }), [304, null, 0])
  t.same(await part({ 'if-modified-since': modified, 'if-none-match': '"x"' }), [200, null, 1_000])
  t.same(await part({ 'if-modified-since': new Date(1_600_000_000_000).toUTCString() }), [200, null, 1_000])

  const head = await fetch(rawUrl('part.bin'), { method: 'HEAD' })
  t.equal(head.status, 200)
  t.equal(head.headers.get('content-length'), '1000')
  t.equal(head.headers.get('etag'), etag)
  t.equal((await head.arrayBuffer()).byteLength, 0)
  t.equal((await fetch(rawUrl('missing'), { method: 'HEAD' })).status, 404)
  write('empty.txt')
  t.match(await raw('empty.txt'), { status: 200, text: '' })
  t.equal((await raw('empty.txt', {}, { range: 'bytes=0-' })).status, 416)
  t.match((await raw('empty.txt', {}, { 'accept-encoding': 'gzip' })).headers.get('content-encoding'), null)
})

t.test('every range is the slice it names', { long: true }, async (t) => {
  const { write, rawUrl } = await prepared(t)
  const sizes = [1, 7, 65_536, 65_537, 200_000]
  const files = new Map(sizes.map((size) => [size, Buffer.from(Array.from({ length: size }, (_, index) => index * 7 % 256))]))
  for (const [size, bytes] of files) write(`${size}.bin`, bytes)
  await fc.assert(fc.asyncProperty(fc.constantFrom(...sizes), fc.option(fc.nat(220_000)), fc.option(fc.nat(220_000)), async (size, first, last) => {
    fc.pre(first !== null || last !== null)
    const answer = await fetch(rawUrl(`${size}.bin`), { headers: { range: `bytes=${first ?? ''}-${last ?? ''}` } })
    const body = Buffer.from(await answer.arrayBuffer())
    const whole = files.get(size)!
    const isBackward = first !== null && last !== null && last < first
    const slice = first === null ? whole.subarray(Math.max(0, size - last!)) : whole.subarray(first, last === null ? size : last + 1)
    // A range that ends before it begins is malformed; answering that it does not exist is as good as ignoring it.
    if (isBackward) return answer.status === 416 || (answer.status === 200 && body.equals(whole))
    if (slice.length === 0) return answer.status === 416
    return answer.status === 206 && body.equals(slice) && answer.headers.get('content-range') === `bytes ${slice.byteOffset - whole.byteOffset}-${slice.byteOffset - whole.byteOffset + slice.length - 1}/${size}`
  }), { numRuns: tries(150) })
})

t.test('what could run in a browser is saved, or shown where it can do nothing', async (t) => {
  const { write, raw } = await prepared(t)
  for (const name of ['page.html', 'page.HTM', 'page.xhtml', 'drawing.svg', 'feed.xml', 'style.xsl', 'a.rss', 'b.mathml']) {
    write(name, '<script>alert(1)</script>')
    const saved = await raw(name)
    t.match(saved.headers.get('content-disposition'), /^attachment/, name)
    const shown = await raw(name, { inline: '1' })
    t.match(shown.headers.get('content-disposition'), /^inline/)
    for (const { headers } of [saved, shown]) {
      const policy = headers.get('content-security-policy')!
      t.match(policy, /^sandbox; default-src 'none'/)
      t.notMatch(policy, /allow-|'self'.*(?:script|connect|img|frame-src)|script-src|connect-src|https?:/)
      t.equal(headers.get('x-content-type-options'), 'nosniff')
    }
    t.match((await raw(name, { inline: '1', download: '1' })).headers.get('content-disposition'), /^attachment/)
  }
  write('a.png', 'x')
  t.match((await raw('a.png')).headers.get('content-disposition'), /^inline/)
  t.match((await raw('a.png', { download: '1' })).headers.get('content-disposition'), 'attachment; filename="a.png"')
  write('code.js', 'x')
  t.equal((await raw('code.js')).headers.get('content-type'), 'text/plain; charset=utf-8')
  for (const destination of ['script', 'worker', 'serviceworker', 'sharedworker', 'style', 'object', 'embed', 'manifest', 'SCRIPT']) {
    t.equal((await raw('code.js', {}, { 'sec-fetch-dest': destination })).status, 403, destination)
  }
  for (const destination of ['document', 'image', 'video', 'audio', 'empty', 'iframe']) t.equal((await raw('a.png', {}, { 'sec-fetch-dest': destination })).status, 200, destination)
})

t.test('types by extension', async (t) => {
  const table: Array<[string, string, string, boolean]> = [
    ['a.html', 'text/html', 'html', true], ['a.xhtml', 'application/xhtml+xml', 'html', true], ['a.svg', 'image/svg+xml', 'other', true], ['a.xml', 'application/xml', 'other', true],
    ['a.png', 'image/png', 'image', false], ['a.mp3', 'audio/mpeg', 'audio', false], ['a.mp4', 'video/mp4', 'video', false], ['a.pdf', 'application/pdf', 'pdf', false],
    ['a.ts', 'text/plain', 'other', false], ['a.mjs', 'text/plain', 'other', false], ['a.css', 'text/plain', 'other', false], ['a.json', 'application/json', 'other', false],
    ['Makefile', 'application/octet-stream', 'other', false], ['a.unknown', 'application/octet-stream', 'other', false]
  ]
  for (const [name, type, kind, active] of table) t.same([typeOf(name), mediaKind(typeOf(name)), isActive(typeOf(name))], [type, kind, active], name)
})

t.test('what was uploaded to a session is shown where the workspace has nothing of that name', async (t) => {
  const { raw, folder, id, write, newSession, get } = await prepared(t)
  const attachments = join(folder, 'home', 'webui', 'attachments', id)
  mkdirSync(attachments, { recursive: true })
  writeFileSync(join(attachments, 'photo.png'), 'uploaded')
  writeFileSync(join(attachments, 'both.txt'), 'uploaded')
  symlinkSync(join(folder, 'home', 'webui', 'secret.key'), join(attachments, 'link'))
  writeFileSync(join(folder, 'home', 'webui', 'secret.key'), outsideText)
  write('both.txt', 'worked on')
  t.equal((await raw('photo.png')).text, 'uploaded')
  t.equal((await raw(join(attachments, 'photo.png'))).text, 'uploaded')
  t.equal((await raw('both.txt')).text, 'worked on')
  t.equal((await raw(join(attachments, 'both.txt'))).text, 'uploaded')
  for (const path of ['link', '../../secret.key', join(attachments, '..', '..', 'secret.key'), join(attachments, 'link')]) t.equal((await raw(path)).status, 404, path)
  const other = await newSession()
  t.equal((await get(`/api/file/raw?${query({ session_id: other, path: join(attachments, 'photo.png') })}`)).status, 404, 'only to its own session')
})

t.test('a workspace around the service keeps the service closed', async (t) => {
  const service = await start(t)
  const home = join(service.folder, 'home')
  writeFileSync(join(home, '.env'), `OPENAI_API_KEY=${outsideText}`)
  writeFileSync(join(home, 'webui', 'inner.txt'), outsideText)
  const id = await service.newSession({ workspace: service.folder })
  const names = async (path: string): Promise<string[]> => (await service.get(`/api/list?${query({ session_id: id, path })}`)).body.entries.map(({ name }: { name: string }) => name)
  t.notOk((await names('home')).includes('webui'))
  t.notOk((await names('home')).includes('.env'))
  for (const path of ['home/.env', 'home/webui/inner.txt', 'home/../home/webui/inner.txt', 'home/webui']) {
    for (const route of ['list', 'file', 'file/raw', 'folder/download']) {
      const answer = await service.get(`/api/${route}?${query({ session_id: id, path })}`)
      t.ok([403, 404].includes(answer.status), `${route} ${path} ${answer.status}`)
      t.notOk(answer.text.includes(outsideText))
    }
  }
})

t.test('backups that lie elsewhere are as closed as the state', hereOnly, async (t) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'backups-')))
  const backups = join(folder, 'workspace', 'kept')
  mkdirSync(backups, { recursive: true })
  writeFileSync(join(backups, 'inner.txt'), outsideText)
  const service = await start(t, { folder, env: { SVC_WEBUI_BACKUP_DIR: backups } })
  const id = await service.newSession()
  for (const path of ['kept', 'kept/inner.txt']) {
    for (const route of ['list', 'file', 'file/raw', 'folder/download']) {
      const answer = await service.get(`/api/${route}?${query({ session_id: id, path })}`)
      t.ok([403, 404].includes(answer.status), `${route} ${path} ${answer.status}`)
      t.notOk(answer.text.includes(outsideText))
    }
  }
  t.equal((await service.post('/api/workspaces/add', { path: backups })).status, 400, 'nobody works in them')
})

t.test('media: what is open and what is not', async (t) => {
  const allowed = await prepared(t)
  const { folder, workspace, media, write, id } = allowed
  const outside = join(folder, 'outside')
  mkdirSync(outside)
  for (const name of ['a.png', 'a.svg', 'a.html', 'a.pdf', 'a.mp4', 'a.txt', 'state.db']) write(`media/${name}`, name)
  const at = (name: string): string => join(workspace, 'media', name)
  t.match((await media(at('a.png'), { session_id: id })).headers.get('content-disposition'), /^inline/)
  for (const name of ['a.pdf', 'a.mp4', 'a.html']) {
    t.match((await media(at(name), { session_id: id })).headers.get('content-disposition'), /^attachment/, name)
    t.match((await media(at(name), { session_id: id, inline: '1' })).headers.get('content-disposition'), /^inline/, name)
  }
  t.match((await media(at('a.html'), { session_id: id, inline: '1' })).headers.get('content-security-policy'), /^sandbox; default-src 'none'/)
  t.equal((await media(at('a.html'), { session_id: id })).headers.get('cache-control'), 'no-store')
  for (const name of ['a.svg', 'a.txt']) t.match((await media(at(name), { session_id: id, inline: '1' })).headers.get('content-disposition'), /^attachment/, name)
  t.match(await media(at('a.mp4'), { session_id: id }, { range: 'bytes=2-3' }), { status: 206, text: 'mp' })
  t.equal((await media(at('state.db'), { session_id: id })).status, 200, 'in a project the name says nothing')
  t.equal((await media(at('a.png'))).status, 200, 'the workspace last in use')
  t.equal((await media(at('missing.png'), { session_id: id })).status, 404)
  t.equal((await media('media/a.png', { session_id: id })).status, 400)

  const home = join(folder, 'home')
  const secrets = ['webui/service.db', 'webui/key.png', '.env', '.env.local', 'auth.json', 'config.yaml', 'webui_state/config.last-good.yaml', 'profiles/.deleted/old-1/memories/USER.md', 'state.db-wal', 'sessions/a.png', 'memories/MEMORY.md', 'cron/jobs.json', 'logs/a.png',
    'checkpoints/a.png', 'backups/a.png', 'media_snapshots/a.png', 'google_token.json', 'id_rsa', 'profiles/work/.env', 'profiles/work/sessions/a.png', 'profiles/work/auth.json']
  for (const name of secrets) {
    mkdirSync(join(home, name, '..'), { recursive: true })
    if (!existsSync(join(home, name))) writeFileSync(join(home, name), outsideText)
    t.equal((await media(join(home, name), { session_id: id })).status, 403, name)
  }
  t.equal((await media(join(home, 'sessions', 'missing.png'))).status, 403, 'nor does it say what is there')
  mkdirSync(join(home, 'images'))
  writeFileSync(join(home, 'images', 'a.png'), 'x')
  t.equal((await media(join(home, 'images', 'a.png'))).status, 200)
  symlinkSync(join(home, 'auth.json'), join(home, 'images', 'b.png'))
  symlinkSync(join(home, 'webui', 'key.png'), join(workspace, 'media', 'b.png'))
  t.equal((await media(join(home, 'images', 'b.png'))).status, 403)
  t.equal((await media(at('b.png'), { session_id: id })).status, 403)
  mkdirSync(join(home, 'webui', 'attachments', id), { recursive: true })
  writeFileSync(join(home, 'webui', 'attachments', id, 'a.png'), 'uploaded')
  t.equal((await media(join(home, 'webui', 'attachments', id, 'a.png'), { session_id: id })).text, 'uploaded')
  t.equal((await media(join(home, 'webui', 'attachments', id, 'a.png'))).status, 403)
  t.equal((await media('/etc/passwd', { session_id: id })).status, 403)
  t.equal((await media('/etc/no-such-file', { session_id: id })).status, 403)
  t.equal((await media('/proc/self/environ', { session_id: id })).status, 403)
  t.equal((await media(join(home, 'webui', 'attachments', id, 'a.png'), { session_id: 'nobody' })).status, 403)
})

t.test('media: the operator and the conversation open more', async (t) => {
  // Below the temporary folder everything is open; what should be outside must be elsewhere.
  const elsewhere = mkdtempSync('/var/tmp/media-')
  mkdirSync(join(elsewhere, 'open'))
  t.teardown(() => rmSync(elsewhere, { recursive: true, force: true }))
  const { app, media, post } = await prepared(t, { env: { SVC_WEBUI_MEDIA_ROOTS: join(elsewhere, 'open') } })
  for (const name of ['open/a.png', 'seen.png', 'seen.txt', 'other.png', 'seen.png.bak.png', 'my seen.png', 'secret.png']) writeFileSync(join(elsewhere, name), name)
  symlinkSync(join(elsewhere, 'secret.png'), join(elsewhere, 'open', 'link.png'))
  t.equal((await media(join(elsewhere, 'open', 'a.png'))).status, 200)
  t.equal((await media(join(elsewhere, 'open', 'link.png'))).status, 403)
  t.equal((await media(join(elsewhere, 'seen.png'))).status, 403)
  const imported = await post('/api/session/import', {
    title: 'x',
    messages: [{ role: 'user', content: 'Where is it?' }, { role: 'assistant', content: `Here:\n${join(elsewhere, 'seen.png')}, (${join(elsewhere, 'my seen.png')}) and ${join(elsewhere, 'seen.txt')}.` }]
  })
  const id = imported.body.session.session_id as string
  t.equal((await media(join(elsewhere, 'seen.png'), { session_id: id })).status, 403, 'what was brought along names nothing')
  app.db.sqlite.prepare("update messages set stream_id = 'a turn' where session_id = ?").run(id)
  const statuses: Array<[string, number]> = [['seen.png', 200], ['my seen.png', 200], ['seen.txt', 403], ['other.png', 403], ['seen.png.bak.png', 403], ['../etc/passwd', 403]]
  for (const [name, status] of statuses) t.equal((await media(join(elsewhere, name), { session_id: id })).status, status, name)
  rmSync(join(elsewhere, 'seen.png'))
  t.equal((await media(join(elsewhere, 'seen.png'), { session_id: id })).status, 404)
  symlinkSync('/etc/passwd', join(elsewhere, 'seen.png'))
  t.equal((await media(join(elsewhere, 'seen.png'), { session_id: id })).status, 403)
})

t.test('no path leads out of the workspace', async (t) => {
  const service = await prepared(t)
  const outside = layTraps(service)
  const { id, get, workspace } = service
  for (const path of hostilePaths(outside)) {
    for (const route of ['list', 'file', 'file/raw', 'folder/download']) {
      const answer: Answer = await get(`/api/${route}?${query({ session_id: id, path })}`)
      const isFolder = route === 'list' || route === 'folder/download'
      if (isFolder && path === 'sub/plain.txt/..') continue
      t.ok([400, 403, 404].includes(answer.status), `${route} ${JSON.stringify(path.slice(0, 60))} ${answer.status}`)
      t.notOk(answer.text.includes(outsideText) || answer.text.includes(outsideName) || answer.text.includes(service.folder) || answer.text.includes('root:'), path)
    }
  }
  for (const encoded of ['..%2f..%2foutside%2fsecret.txt', '%2e%2e/outside/secret.txt', '%252e%252e/outside/secret.txt', '..%c0%afoutside', '%00', '%ff', 'a%00/../../outside/secret.txt']) {
    t.ok([400, 403, 404].includes((await get(`/api/file?session_id=${id}&path=${encoded}`)).status), encoded)
  }
  renameSync(workspace, `${workspace}-away`)
  symlinkSync(outside, workspace)
  for (const [route, path] of [['list', '.'], ['file', 'secret.txt'], ['file/raw', 'secret.txt'], ['folder/download', '.']] as const) {
    const answer = await get(`/api/${route}?${query({ session_id: id, path })}`)
    t.equal(answer.status, 404, `the workspace itself a symlink: ${route}`)
    t.notOk(answer.text.includes(outsideText) || answer.text.includes(outsideName))
  }
  t.same(await closedBelow(service.folder), [])
})

t.test('10,000 exchanges for symlinks during requests never show what is outside', { long: true }, async (t) => {
  const service = await prepared(t)
  const outside = layTraps(service)
  const { workspace, write, list, file, raw, folder } = service
  write('swapped/secret.txt', 'inside')
  write('swapped/deep/secret.txt', 'inside')
  write('swapped.txt', 'inside')
  mkdirSync(join(outside, 'deep'))
  writeFileSync(join(outside, 'deep', 'secret.txt'), outsideText)
  const swaps = [swap(join(workspace, 'swapped'), outside, 5_000), swap(join(workspace, 'swapped.txt'), join(outside, 'secret.txt'), 5_000)]
  const seen = new Map<string, number>()
  const requests: Array<[string, () => Promise<Answer>]> = [
    ['list', () => list('swapped')], ['list deep', () => list('swapped/deep')], ['list all', () => list()],
    ['file', () => file('swapped/secret.txt')], ['file deep', () => file('swapped/deep/secret.txt')], ['file itself', () => file('swapped.txt')],
    ['raw', () => raw('swapped/secret.txt')], ['raw itself', () => raw('swapped.txt')]
  ]
  const keepAsking = async ([what, request]: (typeof requests)[number]): Promise<void> => {
    while (!swaps.every(({ isOver }) => isOver())) {
      const { status, text } = await request()
      const key = `${what} ${status}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
      const shows = what === 'list all' ? text.includes(outsideName) : text.includes(outsideText) || text.includes(outsideName)
      if (shows) t.fail(`${key} shows what is outside: ${text.slice(0, 200)}`)
      if (![200, 403, 404].includes(status)) t.fail(`${key} ${text.slice(0, 200)}`)
    }
  }
  await Promise.all([...requests.map(keepAsking), ...swaps.map(({ over }) => over)])
  for (const what of ['list', 'file', 'raw', 'file itself', 'raw itself']) t.ok((seen.get(`${what} 200`) ?? 0) > 0, `${what} was answered: ${JSON.stringify([...seen])}`)
  t.same(await closedBelow(folder), [])
})

t.test('a folder that was exchanged for a moment is noticed', { long: true }, async (t) => {
  const { workspace, write } = await prepared(t)
  write('a/b/c.txt')
  const real = join(workspace, 'a', 'b')
  const identity = (): { dev: bigint, ino: bigint } => statSync(real, { bigint: true })
  t.equal(watchSteadiness(real, identity())(), false, 'what is this new could be exchanged without a trace')
  await delay(150)
  t.equal(watchSteadiness(real, identity())(), true)
  for (const exchanged of [real, join(workspace, 'a'), workspace]) {
    await delay(150)
    const wasSteady = watchSteadiness(real, identity())
    renameSync(exchanged, `${exchanged}-away`)
    symlinkSync('/', exchanged)
    unlinkSync(exchanged)
    renameSync(`${exchanged}-away`, exchanged)
    t.equal(wasSteady(), false, exchanged)
  }
  await delay(150)
  write('a/new.txt')
  t.equal(watchSteadiness(real, { dev: identity().dev, ino: 1n })(), false, 'another folder')
  t.equal(watchSteadiness(join(workspace, 'missing'), identity())(), false)
})

t.test('a file that shrinks while it is sent ends the connection', async (t) => {
  const { workspace, write, rawUrl, folder } = await prepared(t)
  write('large.bin')
  truncateSync(join(workspace, 'large.bin'), 200 * 1024 * 1024)
  const response = await ask(rawUrl('large.bin'))
  truncateSync(join(workspace, 'large.bin'), 100)
  const isComplete = await new Promise<boolean>((resolve) => {
    response.on('error', () => {})
    response.on('close', () => resolve(response.complete))
    response.resume()
  })
  t.notOk(isComplete)
  t.same(await closedBelow(folder), [])
})

t.test('a client that goes away leaves nothing open', { long: true }, async (t) => {
  const { workspace, write, rawUrl, folder, media, id } = await prepared(t)
  write('large.bin')
  truncateSync(join(workspace, 'large.bin'), 200 * 1024 * 1024)
  for (let round = 0; round < 20; round++) {
    const response = await ask(rawUrl('large.bin'), round % 2 === 0 ? {} : { range: 'bytes=5-' })
    response.on('error', () => {})
    response.destroy()
  }
  await ask(rawUrl('large.bin'), {}, 'HEAD')
  await ask(rawUrl('large.bin'), { 'if-none-match': '*' })
  await ask(rawUrl('large.bin'), { range: `bytes=${300 * 1024 * 1024}-` })
  await media(join(workspace, 'large.bin'), { session_id: id }, { range: 'bytes=0-0' })
  t.same(await closedBelow(folder), [])
})

t.test('what may not be read is refused', { skip: process.getuid?.() === 0 && 'root may read everything' }, async (t) => {
  const { workspace, write, file, list } = await prepared(t)
  write('closed/a.txt', 'x')
  write('closed.txt', 'x')
  chmodSync(join(workspace, 'closed'), 0o000)
  chmodSync(join(workspace, 'closed.txt'), 0o000)
  t.teardown(() => chmodSync(join(workspace, 'closed'), 0o700))
  t.equal((await file('closed.txt')).status, 403)
  t.equal((await list('closed')).status, 403)
})

t.test('many at once', { long: true }, async (t) => {
  const service: TestService & { list: (path?: string) => Promise<Answer>, write: (path: string, content?: string) => void } = await prepared(t)
  for (let index = 0; index < 300; index++) service.write(`many/${index}.txt`, 'x')
  const answers = await Promise.all(Array.from({ length: 30 }, () => service.list('many')))
  t.ok(answers.every(({ body }) => body.entries.length === 300))
  t.same(await closedBelow(service.folder), [])
  t.equal(basename(answers[0]!.body.workspace), 'workspace')
})
