import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { applyPatch } from 'diff'
import { compare } from '../../services/agent/foresight/compare.js'
import { compareHere, createComparer, foresee } from '../../services/agent/foresight/index.js'
import { createTools } from '../../services/agent/tools/index.js'
import { mapTexts } from '../../services/ground/text/json.js'
import { redactPieces } from '../../services/ground/redaction/index.js'
import { visible, visibleProse, withoutGaps } from '../../services/ground/text/visible.js'
import { anyCharacter } from '../support/any-character.js'
import { eventually, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { tries } from '../support/tries.js'

const service = await startChat(t)
const outside = join(service.folder, 'outside')
mkdirSync(outside)
const key = `sk-proj-${'a1B2c3D4'.repeat(6)}`
/** Looks harmless; only this process knows that it is a secret. */
const ownSecret = 'test-key-12345'

const call = (tool: string, args: Record<string, unknown>): ScriptedAnswer => [{ tool, args }]
const write = (path: string, content: string): ScriptedAnswer => call('write_file', { path, content })

/** Returns how a call is described: in the approval, in the frame of the call, and in the row. */
async function asked (answer: ScriptedAnswer, on: ChatService = service) {
  const sessionId = await on.newSession()
  const streamId = await on.send(sessionId, 'Do it', { model: on.model(answer) })
  const pending = await on.pending(sessionId)
  const reader = await on.watch(streamId)
  const { data: tool } = await reader.until('tool')
  reader.drop()
  const row = JSON.parse(on.app.db.sqlite.prepare<[string], string>('select body from prompts where id = ?').pluck().get(pending.approval_id)!)
  return {
    sessionId,
    streamId,
    pending,
    tool,
    row,
    async over (): Promise<void> {
      await on.post('/api/chat/cancel', { stream_id: streamId })
      await eventually('the end', async () => (await on.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending === null)
    }
  }
}

const toldKeys = ['file', 'diff', 'diff_truncated', 'diff_note', 'diff_note_reason', 'command_parts', 'command_parts_truncated', 'folder', 'sandboxed', 'request']
const told = (body: Record<string, unknown>) => Object.fromEntries(Object.entries(body).filter(([name]) => toldKeys.includes(name)))

t.test('a file that is changed: how', async (t) => {
  writeFileSync(join(service.workspace, 'notes.txt'), 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n')
  const edit = await asked(call('edit_file', { path: 'notes.txt', old_string: 'five', new_string: 'FIVE\nand more' }))
  t.equal(edit.pending.file, 'notes.txt')
  t.equal(edit.pending.diff, '--- a/notes.txt\n+++ b/notes.txt\n@@ -2,7 +2,8 @@\n two\n three\n four\n-five\n+FIVE\n+and more\n six\n seven\n eight\n')
  t.equal(edit.pending.diff_truncated, false)
  t.same(told(edit.tool), told(edit.pending), 'the frame of the call says the same')
  t.equal(edit.row.foresight.change.diff, edit.pending.diff, 'and so does the row')
  t.notOk('command_parts' in edit.pending)
  await service.respond(edit.sessionId, 'once')
  await eventually('the change', () => readFileSync(join(service.workspace, 'notes.txt'), 'utf8').includes('and more'))

  const made = await asked(write('new folder/new.txt', 'a\nb'))
  t.equal(made.pending.diff, '--- /dev/null\n+++ b/new folder/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file\n')
  await made.over()
  const patch = await asked(call('edit_file', { path: 'notes.txt', patch: '@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n' }))
  t.match(patch.pending.diff, /^-one\n\+ONE$/m)
  await patch.over()
})

t.test('a file that is another one by the time of the yes is left alone, and the model is told to read it again', async (t) => {
  const path = join(service.workspace, 'shared.txt')
  const changes: Array<[string, ScriptedAnswer, (() => void) | null, () => void, RegExp | string]> = [
    ['written anew', write('shared.txt', 'mine\n'), () => writeFileSync(path, 'one\n'), () => writeFileSync(path, 'two\n'), 'two\n'],
    ['edited', call('edit_file', { path: 'shared.txt', old_string: 'one', new_string: 'mine' }), () => writeFileSync(path, 'one\n'), () => writeFileSync(path, 'one, and more\n'), 'one, and more\n'],
    ['made', write('shared.txt', 'mine\n'), () => rmSync(path, { force: true }), () => writeFileSync(path, 'two\n'), 'two\n'],
    ['not changed', write('shared.txt', 'mine\n'), () => writeFileSync(path, 'one\n'), () => {}, 'mine\n']
  ]
  for (const [how, answer, prepare, change, expected] of changes) {
    prepare?.()
    const { sessionId, streamId, pending, row } = await asked(answer)
    t.equal(typeof row.foresight.change.seen, 'string')
    t.notOk(JSON.stringify(pending).includes(row.foresight.change.seen.slice(0, -1)) && row.foresight.change.seen !== 'none', 'which is nobody else\'s business')
    change()
    const reader = await service.watch(streamId)
    await service.respond(sessionId, 'once')
    const { data } = await reader.until('tool_complete')
    await reader.ended
    t.equal(data.is_error, how !== 'not changed', how)
    if (data.is_error) t.match(data.preview, /has changed since the user was shown .*read it again/)
    t.equal(readFileSync(path, 'utf8'), expected, how)
  }
})

t.test('a file that cannot be compared: why', async (t) => {
  writeFileSync(join(service.workspace, 'binary'), Buffer.from([0, 1, 2, 3]))
  writeFileSync(join(service.workspace, 'huge'), '')
  truncateSync(join(service.workspace, 'huge'), 50 * 1024 ** 3)
  execFileSync('mkfifo', [join(service.workspace, 'pipe')])
  symlinkSync('loop', join(service.workspace, 'loop'))
  mkdirSync(join(service.workspace, 'folder'))
  for (const [path, why] of [['binary', /binary/], ['huge', /bytes, too many/], ['pipe', /named pipe/], ['loop', /./], ['folder', /folder/]] as const) {
    const card = await asked(write(path, 'x'))
    t.match(card.pending.diff_note, why, path)
    t.notOk('diff' in card.pending)
    await card.over()
  }
  const long = await asked(write('long.txt', 'a line of some length\n'.repeat(1_500)))
  t.equal(long.pending.diff.length, 12_000)
  t.equal(long.pending.diff_truncated, true)
  await long.over()
  writeFileSync(join(service.workspace, 'long2.txt'), 'a line of some length\n'.repeat(5_000))
  const other = await asked(write('long2.txt', Array.from({ length: 1_500 }, (_, n) => `${n}`).join('\n')))
  t.match(other.pending, { diff_note: /more changes/, diff_note_reason: { code: 'diff_too_many_changes', params: {} } })
  await other.over()
})

t.test('an edit that cannot be made is told to the model, and nobody is asked', async (t) => {
  writeFileSync(join(service.workspace, 'twice.txt'), 'one\none\n')
  const edit = (args: Record<string, unknown>) => call('edit_file', args)
  const hopeless = [
    [edit({ path: 'nowhere', old_string: 'a', new_string: 'b' }), /does not exist/],
    [edit({ path: 'twice.txt', old_string: 'two', new_string: 'b' }), /was not found/],
    [edit({ path: 'twice.txt', old_string: 'one', new_string: 'b' }), /occurs 2 times/],
    [edit({ path: 'twice.txt', patch: '@@ -1 +1 @@\n-nothing like it\n+b\n' }), /./]
  ] as const
  for (const [answer, why] of hopeless) {
    const sessionId = await service.newSession()
    const { frames } = await service.turn(sessionId, 'Do it', service.model(answer, [{ text: 'Well.' }]))
    t.match(frames.find(({ event }) => event === 'tool_complete')?.data, { is_error: true, preview: why })
    t.equal(service.app.db.sqlite.prepare('select count(*) from prompts where session_id = ?').pluck().get(sessionId), 0)
  }
  // The model does not learn the contents of a file that it may not read without permission.
  const outside = join(service.folder, 'outside.txt')
  writeFileSync(outside, 'one\n')
  const card = await asked(edit({ path: outside, old_string: 'two', new_string: 'b' }))
  t.match(card.pending, { diff_note: 'This edit does not fit the file as it is now, so it would change nothing.', diff_note_reason: { code: 'diff_edit_unfit' } })
  await card.over()
})

t.test('a link is followed, and where it leads is said', async (t) => {
  writeFileSync(join(outside, 'target'), 'there\n')
  symlinkSync(join(outside, 'target'), join(service.workspace, 'link'))
  const card = await asked(write('link', 'here\n'))
  t.equal(card.pending.file, join(outside, 'target'))
  t.match(card.pending.diff, /^-there\n\+here$/m)
  t.match(card.pending.pattern_keys, ['write:outside'])
  await card.over()
})

t.test('credentials are masked, wherever in the file what makes them known stands', async (t) => {
  const pem = ['-----BEGIN RSA PRIVATE KEY-----', ...Array.from({ length: 20 }, (_, n) => `MIIEowIBAAKCAQEA${String(n).padStart(4, '0')}${'QWERTYuiopASDFGHjklZXCVBNM0123456789abcdefgh'}`), '-----END RSA PRIVATE KEY-----']
  writeFileSync(join(service.workspace, 'secrets'), `name: x\npassword: hunter2hunter2\n${pem.join('\n')}\nlast: ${key}\nown: ${ownSecret}\n`)
  const card = await asked(call('edit_file', { path: 'secrets', old_string: pem[12], new_string: pem[12]!.replace('QWERTY', 'YTREWQ') }))
  t.notMatch(card.tool.diff, /QWERTY|YTREWQ|ASDFGH/, 'no line of the key')
  t.match(card.tool.diff, /^@@ /m, 'that there is a change is said')
  t.match(card.pending.diff, /^\+.*YTREWQ/m, 'whoever decides sees it')
  await card.over()
  const value = await asked(write('secrets', `name: y\npassword: other2other2x\n${key}x\nown: ${ownSecret}\n`))
  t.notMatch(value.tool.diff, /hunter2|other2|sk-proj|MIIE/)
  t.match(value.pending.diff, /^\+password: other2other2x$/m)
  for (const text of [value.pending.diff, value.tool.diff]) {
    t.notMatch(text, ownSecret, 'also what only the service knows')
    t.match(text, /^\+name: y$/m)
  }
  await value.over()
})

t.test('a key stays masked when the change takes away what makes it known', (t) => {
  const key = ['-----BEGIN OPENSSH PRIVATE KEY-----', 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAQWERTY', 'QyNTUxOQAAACDASDFGHJKL0123456789abcdefgh', '-----END OPENSSH PRIVATE KEY-----', '']
  for (const end of ['\n', '\r\n']) {
    for (const [before, after] of [[key, key.slice(1)], [key.slice(1), key]] as const) {
      const compared = compare({ path: 'id', before: before.join(end), after: after.join(end) })
      t.notMatch(compared?.masked, /QWERTY|ASDF/)
      t.match(compared?.masked, /redacted/)
      t.match(compared?.diff, /QWERTY/)
    }
  }
  const compared = compare({ path: 'x', before: `password: hunter2hunter2\n${key.join('\n')}}\n`, after: 'a: {\n}\nb: plain words\n' })
  t.match(compared?.masked, /^\+a: \{$/m, 'what is no secret is shown')
  t.match(compared?.masked, /^\+b: plain words$/m)
})

t.test('a command: what it runs, where, and whether it stays inside', async (t) => {
  mkdirSync(join(service.workspace, 'sub'), { recursive: true })
  const card = await asked(call('terminal', { command: 'cd src && make "a b" $X; echo $(date +%s) | tee out.log', cwd: 'sub' }))
  t.same(card.pending.command_parts, [
    { program: 'cd', args: ['src'] }, { program: 'make', args: ['a b', '…'] }, { program: 'echo', args: ['…'] }, { program: 'date', args: ['+%s'] }, { program: 'tee', args: ['out.log'] }
  ])
  t.match(card.pending, { command_parts_truncated: false, folder: join(service.workspace, 'sub'), sandboxed: false })
  t.same(told(card.tool), told(card.pending))
  await card.over()
  const nested = await asked(call('terminal', { command: 'sudo bash -c "rm -rf build; ls"' }))
  t.same(nested.pending.command_parts, [{ program: 'sudo', args: ['bash', '-c', 'rm -rf build; ls'] }, { program: 'rm', args: ['-rf', 'build'] }, { program: 'ls', args: [] }])
  t.equal(nested.pending.folder, service.workspace)
  await nested.over()
  const veiled = await asked(call('terminal', { command: `deploy --with ${key.slice(0, 8)}\u200b${key.slice(8)}` }))
  t.notMatch(JSON.stringify(veiled.tool.command_parts), /a1B2c3D4/, 'also with what cannot be seen in it')
  t.match(veiled.pending.command, '\\u{200b}', 'which whoever decides sees')
  await veiled.over()
  const secret = await asked(call('terminal', { command: `deploy --password hunter2hunter2 --token=${key}; curl -H "Authorization: Bearer abcdefghijklmnop1234" http://x.example` }))
  t.notMatch(JSON.stringify(secret.tool.command_parts), /hunter2|sk-proj|abcdefghijklmnop/)
  t.match(secret.tool.command_parts[0], { program: 'deploy', args: ['--password', /redacted/] })
  t.match(secret.pending.command_parts[0], { program: 'deploy', args: ['--password', 'hunter2hunter2'] })
  await secret.over()
  const hidden = await asked(call('terminal', { command: 'echo "a\u202eb\u0007"' }))
  t.same(hidden.pending.command_parts, [{ program: 'echo', args: ['a\\u{202e}b\u2407'] }])
  await hidden.over()
  const many = await asked(call('terminal', { command: Array.from({ length: 900 }, (_, n) => `echo number ${n}`).join('; ') }))
  t.equal(many.pending.command_parts_truncated, true)
  t.ok(JSON.stringify(many.pending.command_parts).length < 60_000)
  await many.over()
})

t.test('a request: its address', async (t) => {
  const card = await asked(call('web_fetch', { url: `https://user:pass@Example.org:8443/a/b?api_key=${key}&q=1#part` }))
  t.match(card.tool.request, { method: 'GET', scheme: 'https', host: 'example.org:8443', path: /^\/a\/b\?api_key=\[redacted\]/ })
  t.same(card.pending.request, { ...card.tool.request, path: `/a/b?api_key=${key}&q=1` })
  await card.over()
})

t.test('what does not ask says nothing of it', async (t) => {
  const sessionId = await service.newSession()
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  const { frames } = await service.turn(sessionId, 'Do it', service.model(write('unasked.txt', 'x')))
  t.same(told(frames.find(({ event }) => event === 'tool')!.data), {})
})

t.test('a card that outlives a restart says the same, also when the file is another by then', async (t) => {
  const folder = join(service.folder, 'kept')
  mkdirSync(folder)
  const before = await service.again(t, folder)
  writeFileSync(join(before.workspace, 'file'), 'old\n')
  const card = await asked(write('file', 'new\n'), before)
  t.match(card.pending.diff, /^-old\n\+new$/m)
  await before.stop()
  writeFileSync(join(folder, 'workspace', 'file'), 'changed meanwhile\n')
  const after = await service.again(t, folder)
  await eventually('the run', () => after.app.agent.size().runs === 1)
  t.same((await after.get(`/api/approval/pending?session_id=${card.sessionId}`)).body.pending, card.pending)
  t.same((await eventually('an answer that is taken', async () => {
    const { status, body } = await after.respond(card.sessionId, 'once', card.pending.approval_id)
    return status === 200 && body
  })), { ok: true, choice: 'once' })
  await eventually('the end', async () => !(await after.session(card.sessionId)).is_streaming)
  t.equal(readFileSync(join(folder, 'workspace', 'file'), 'utf8'), 'changed meanwhile\n', 'and what it did not show is not replaced')
})

t.test('texts that are hard to compare end in time, and in another thread', async (t) => {
  const entry = new URL('../../dist/services/agent/foresight/thread.js', import.meta.url).pathname
  const signal = new AbortController().signal
  const line = (seed: number) => `${(seed * 7919) % 50} ${(seed * 104_729) % 3}`
  const hard = { path: 'x', before: Array.from({ length: 20_000 }, (_, n) => line(n)).join('\n'), after: Array.from({ length: 20_000 }, (_, n) => line(n * 31 + 7)).join('\n') }
  t.same(await createComparer({ entry, limitMs: 20 })(hard, signal), null)
  t.match(await createComparer({ entry })({ path: 'x', before: 'a\n', after: 'b\n' }, signal), { diff: /-a\n\+b/, isCut: false })
  const aborted = new AbortController()
  aborted.abort()
  t.same(await createComparer({ entry })(hard, aborted.signal), null)
})

t.test('any change: the diff leads from the one text to the other', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '-x', '+y', '@@ -1 +1 @@', 'tab\t', 'wide ü'), { maxLength: 25 }).chain((lines) => fc.boolean().map((ends) => lines.join('\n') + (ends && lines.length > 0 ? '\n' : '')))
  await fc.assert(fc.asyncProperty(text, text, async (before, after) => {
    const compared = await compare({ path: 'f', before, after })
    if (compared === null) return false
    return compared.diff.split('\n').length <= 3 ? before === after : applyPatch(before, compared.diff) === after
  }), { numRuns: tries(300) })
})

t.test('masking in pieces masks what the whole would', async () => {
  const word = fc.constantFrom('password', '=', ':', 'hunter2hunter2', key, 'Bearer', 'token', '--token', 'x', '', 'Authorization:', 'a'.repeat(40))
  fc.assert(fc.property(fc.array(word, { maxLength: 12 }), (words) => {
    const pieces = redactPieces(words, ' ')
    return pieces.length === words.length && !pieces.join(' ').includes(key)
  }))
})

t.test('a text that is too large is not compared', async (t) => {
  const [tool] = createTools({}).filter(({ name }) => name === 'write_file')
  const context = { workspace: service.workspace, readable: [], reading: null, confined: false, compare: compareHere, signal: new AbortController().signal }
  t.match(await foresee(tool!, { path: 'large', content: 'line\n'.repeat(100_000) }, context), { change: { path: 'large', note: /too large/ } })
})

t.test('whatever a call is, finding out what it would do does not fail', async () => {
  const tools = createTools({})
  const signal = new AbortController().signal
  await fc.assert(fc.asyncProperty(fc.constantFrom(...tools.filter(({ name }) => ['write_file', 'edit_file', 'terminal', 'web_fetch'].includes(name))), fc.string({ unit: anyCharacter, maxLength: 40 }), fc.string({ unit: anyCharacter, maxLength: 40 }), async (tool, one, other) => {
    const args = { path: one, content: other, old_string: one, new_string: other, command: one, cwd: other, url: `http://${one}` }
    const found = await foresee(tool, args, { workspace: service.workspace, readable: [], reading: null, confined: false, compare: compareHere, signal })
    JSON.stringify(found)
  }), { numRuns: tries(200) })
})

t.test('a gap tells how long it is', (t) => {
  t.equal(withoutGaps(`a${'\n'.repeat(200)}b`), 'a\n[199 blank lines]\nb')
  t.equal(withoutGaps(`a${'\n \t'.repeat(200)}\nb`), 'a\n[200 blank lines]\nb')
  for (const blank of [' ', '\t', '\u00a0', '\u3000', '\u2003']) t.equal(withoutGaps(`a${blank.repeat(3_000)}b`), 'a [3,000 blanks] b')
  const usual = `if (x) {\n${' '.repeat(40)}y\n\n\n\n}\n`
  t.equal(withoutGaps(usual), usual)
})

t.test('signs stand for what cannot be seen', (t) => {
  t.equal(visible('a\tb\nc'), 'a\tb\nc')
  t.equal(visible('\u2800'), '\\u{2800}')
  t.equal(visible('\u001b[31m\u0000\u007f\u0085\u202e\ud800x\u{e0041}'), '\u241b[31m\u2400\u2421\\u{85}\\u{202e}\\u{d800}x\\u{e0041}')
  t.equal(visible('😀 ü'), '😀 ü')
  t.equal(visibleProse('می\u200cخواهم 👩\u200d💻\u202e\r'), 'می\u200cخواهم 👩\u200d💻\\u{202e}\u240d')
  // Everything that Unicode calls ignorable, before, after and between: adjacent letters do not hide it.
  const ignorable = Array.from({ length: 0x110000 }, (_, code) => code).filter((code) => (code < 0xd800 || code > 0xdfff) && /\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code)))
  t.ok(ignorable.length > 4_000)
  for (const see of [visible, visibleProse]) {
    t.same(ignorable.filter((code) => !/^a\\u\{[\da-f]+\}b$/.test(see(`a${String.fromCodePoint(code)}b`))).map((code) => code.toString(16)), see === visible ? [] : ['200e', '200f'])
    t.same(ignorable.filter((code) => see(String.fromCodePoint(code).repeat(20)).includes(String.fromCodePoint(code))), [], 'and a run of them tells nothing')
  }
  for (const prose of ['\u2813\u2811\u2800\u283a\u2815', '\u2800\u2800\u2813', '1\ufe0f\u20e3 \u2764\ufe0f \u{1f3f3}\ufe0f\u200d\u{1f308}', '\u0915\u094d\u200d\u0937', '\u1820\u180b', '\u8449\ufe00', '\u05e9\u200f!']) t.equal(visibleProse(prose), prose)
  t.equal(visibleProse('a\u2800b'), 'a\\u{2800}b', 'a blank of Braille without any')
  t.same(mapTexts({ a: ['\u202e', null, 1], b: { c: '\u0007' } }, visible), { a: ['\\u{202e}', null, 1], b: { c: '\u2407' } })
})

rmSync(join(service.workspace, 'pipe'), { force: true })
