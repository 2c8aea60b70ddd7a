import { mock } from 'node:test'
import t from '../../test/support/harness.js'
import { ApiError } from '../src/core/service/api.js'
import { type Approval, type Choice, type Waiting } from '../src/core/conversation/prompts.js'
import { nextCard } from '../src/inbox/next-card.js'
import { signal } from '@preact/signals-core'
import { denialNote } from '../src/core/composer/denial-note.js'
import { Draft } from '../src/core/composer/drafts.js'
import { Api } from '../src/core/service/api.js'
import { createAnswering } from '../src/prompts/answering.js'
import { CardKeys, guardMs, type CardKey } from '../src/prompts/card-keys.js'
import { clockOf, countDown } from '../src/prompts/countdown.js'
import { countLines, ruleOf, subjectOf, typed } from '../src/prompts/describe.js'
import { deletedBy, newsAt, sayMore } from '../src/prompts/effects.js'
import { foldedLine, foldedText, foldedWords, partsFrom, partsOf } from '../src/prompts/folding.js'
import { inRuns } from '../src/ui/InOrder.js'

const key = (key: string, more: Partial<CardKey> = {}): CardKey => ({ key, repeat: false, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...more })

function keysOf (offered: readonly Choice[] = ['once', 'session', 'always', 'deny']) {
  const chosen: Choice[] = []
  const pending = new Set<() => void>()
  const clock = { nowMs: 0 }
  const keys = new CardKeys({
    isOffered: (choice) => offered.includes(choice),
    onChoice: (choice) => chosen.push(choice),
    nowMs: () => clock.nowMs,
    later: (call) => { pending.add(call); return () => pending.delete(call) }
  })
  const pass = (): void => { for (const call of [...pending]) { pending.delete(call); call() } }
  return { keys, chosen, clock, pass }
}

t.test('a card takes Enter, S and Escape, once it has been there for a moment', async (t) => {
  const { keys, chosen, clock, pass } = keysOf()
  t.equal(keys.down(key('Enter')), 'taken', 'it is kept from everything else')
  t.same(chosen, [], 'but what comes with the card allows nothing')
  clock.nowMs = guardMs
  keys.down(key('Enter', { repeat: true }))
  t.same(chosen, [], 'nor does a key that is held')
  keys.down(key('Enter', { ctrlKey: true }))
  keys.down(key('Enter', { isComposing: true }))
  t.same(chosen, [])
  keys.down(key('Enter'))
  keys.down(key('Escape'))
  t.same(chosen, ['once', 'deny'])
  keys.focused()
  keys.down(key('Enter'))
  t.same(chosen, ['once', 'deny'], 'a focus that has just come was not waited for')
  clock.nowMs += guardMs
  keys.down(key('s'))
  t.same(chosen, ['once', 'deny'])
  pass()
  t.same(chosen, ['once', 'deny', 'session'])
})

t.test('a letter that begins a word is no choice', async (t) => {
  const { keys, chosen, clock, pass } = keysOf()
  clock.nowMs = guardMs
  keys.down(key('s'))
  t.equal(keys.down(key('u')), 'typing')
  pass()
  t.same(chosen, [])
  keys.down(key('s'))
  t.equal(keys.down(key('s')), 'typing')
  keys.down(key('s'))
  keys.stop()
  pass()
  t.same(chosen, [], 'nor one after which the focus goes away')
  t.equal(keys.down(key('Tab')), 'left')

  const once = keysOf(['once', 'deny'])
  once.clock.nowMs = guardMs
  t.equal(once.keys.down(key('s')), 'typing', 'what is not offered cannot be chosen')
  once.pass()
  t.same(once.chosen, [])
})

const approval = (more: Partial<Approval>): Approval => ({
  approval_id: 'a', session_id: 's', command: 'x', description: 'X', pattern_key: '', pattern_keys: [], max_scope: 'always', requested_at: 0, timeout_seconds: 0, expires_at: 0, ...more
})

t.test('what a card is about is told by what came with it', async (t) => {
  const change = '--- a/list.ts\n+++ b/list.ts\n@@ -1,2 +1,1 @@\n-one\n-two\n+three\n'
  t.same(subjectOf(approval({ file: 'list.ts', diff: change })), { kind: 'edit', file: 'list.ts' })
  t.same(countLines(change), { added: 1, removed: 2 })
  t.same(subjectOf(approval({ file: 'new.ts', diff: '--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+x\n' })), { kind: 'create', file: 'new.ts' })
  t.same(subjectOf(approval({ file: 'big.bin', diff_note: 'it is binary' })), { kind: 'write', file: 'big.bin' })
  t.same(subjectOf(approval({ folder: '/w', command_parts: [{ program: 'git', args: ['push'] }] })), { kind: 'command', program: 'git' })
  t.same(subjectOf(approval({ request: { method: 'GET', scheme: 'https', host: 'example.org', path: '/' } })), { kind: 'request', method: 'GET', host: 'example.org' })
  t.same(subjectOf(approval({ pattern_keys: ['mcp:changed', 'mcp:docs:search'], content: '{}' })), { kind: 'mcp', server: 'docs', tool: 'search' })
  t.same(subjectOf(approval({ pattern_keys: ['mcp:docs:sampling/create'] })), { kind: 'sampling', server: 'docs' })
  t.same(subjectOf(approval({ pattern_key: 'instructions:changed' })), { kind: 'instructions' })
  t.same(subjectOf(approval({ budget: [{ scope: 'day', measure: 'usd', used: 2, limit: 1, up_to: 3 }] })), { kind: 'budget' })
  t.same(subjectOf(approval({})), { kind: 'other' })
  t.equal(typed({ program: 'echo', args: ["it's", 'a b', 'plain'] }), "echo 'it'\\''s' 'a b' plain")
})

t.test('words of a command follow each other as they are carried out, whatever script they are in', async (t) => {
  t.same(inRuns('mv א ב'), ['mv ', 'א', ' ', 'ב', ''])
  t.same(inRuns('echo שלום;rm عَ.txt'), ['echo ', 'שלום', ';rm ', 'عَ', '.txt'])
  for (const text of ['', 'rm -rf x', 'caf\u0065\u0301', '字']) t.same(inRuns(text), [text])
})

t.test('a rule is read before it is kept', async (t) => {
  t.same(ruleOf('cmd:git push'), { kind: 'command', command: 'git push' })
  t.same(ruleOf('net:example.org:8080'), { kind: 'net', host: 'example.org:8080' })
  t.same(ruleOf('mcp:docs:resources/read'), { kind: 'mcp', server: 'docs', tool: 'resources/read' })
  t.same(ruleOf('budget:day:usd'), { kind: 'budget', scope: 'day', measure: 'usd' })
  t.same(ruleOf('write:workspace'), { kind: 'workspace' })
  t.same(ruleOf('git:own 0123abcd'), { kind: 'ownGit', seal: '0123abcd' })
  for (const other of ['', 'constructor', 'toString:x', 'git:planted', 'net:unknown']) t.same(ruleOf(other), { kind: 'other', key: other })
})

t.test('an answer is sent once; one that did not arrive is kept for another try; one that was too late is told', async (t) => {
  const waiting = { kind: 'approval', id: 'a', prompt: approval({}) } as Waiting
  const sent: Choice[] = []
  const answers: Array<() => Promise<'taken' | 'late'>> = [async () => { throw new ApiError('Gone for a moment.', 502) }, async () => 'late']
  let late = 0
  const answering = createAnswering({ decide: async (_, choice) => { sent.push(choice); return await answers.shift()!() }, answer: async () => 'taken' }, waiting, () => { late++ })
  await Promise.all([answering.send('once'), answering.send('always')])
  t.same(sent, ['once'], 'a second press while the first is under way is none')
  t.equal(answering.error.value?.message, 'Gone for a moment.')
  t.equal(answering.outcome.value, null)
  await answering.retry()
  t.same(sent, ['once', 'once'])
  t.equal(answering.error.value, null)
  t.equal(answering.outcome.value, 'late')
  t.equal(late, 1)
  await answering.send('always')
  t.same(sent, ['once', 'once'], 'what is settled is settled')
})

t.test('the time that is left is counted, and told once', async (t) => {
  mock.timers.enable({ apis: ['setInterval', 'Date'], now: 1_000_000 })
  t.teardown(() => mock.timers.reset())
  const pass = (seconds: number): void => { for (let at = 0; at < seconds; at++) mock.timers.tick(1_000) }
  const told: number[] = []
  const { leftS, stop } = countDown(1_000 + 33, (left) => told.push(left))
  t.equal(leftS.value, 33)
  pass(10)
  t.equal(leftS.value, 23)
  t.same(told, [30])
  pass(60)
  t.equal(leftS.value, 0)
  t.same(told, [30])
  stop()
  const late = countDown(Date.now() / 1_000 + 12, (left) => told.push(left))
  pass(5)
  late.stop()
  t.same(told, [30], 'one that begins with less is not told again')
  t.same([clockOf(65), clockOf(7_200), clockOf(0)], ['1:05', '2:00:00', '0:00'])
})

t.test('keys lead from card to card', async (t) => {
  t.equal(nextCard('j', -1, 3), 0)
  t.equal(nextCard('ArrowDown', 2, 3), 2)
  t.equal(nextCard('k', 1, 3), 0)
  t.equal(nextCard('End', 0, 3), 2)
  t.equal(nextCard('x', 0, 3), null)
  t.equal(nextCard('j', -1, 0), null)
})

t.test('what looks like a credential is folded, and nothing else of a card', (t) => {
  const command = 'TOKEN=a1B2c3D4 ./run [redacted]; rm -rf x'
  const approval = {
    command,
    description: `Run a command: ${command}`,
    masks: [
      { field: 'command', start: 6, end: 14 }, { field: 'command', start: 21, end: 31, hidden: 20 }, { field: 'command', start: 25, end: 33 }, { field: 'command', start: 38, end: 99 },
      { field: 'description', start: 21, end: 29 }, { field: 'content', start: 0, end: 3 }
    ]
  } as unknown as Approval
  const parts = partsOf(approval, 'command', command)
  t.equal(parts.map(({ text }) => text).join(''), command, 'the text is whole')
  t.same(parts.filter(({ kind }) => kind !== 'plain'), [{ text: 'a1B2c3D4', kind: 'folded', chars: 8 }, { text: '[redacted]', kind: 'secret', chars: 20 }], 'places that overlap or lead out of the text are left alone')
  t.equal(foldedText(parts, (chars) => `<${chars}>`), 'TOKEN=<8> ./run <20>; rm -rf x')
  t.same(foldedWords(approval), ['a1B2c3D4'])
  t.equal(foldedLine(approval), 'TOKEN=[…] ./run […]; rm -rf x')
  t.same(partsOf({ command } as unknown as Approval, 'command', command), [{ text: command, kind: 'plain', chars: command.length }])
})

t.test('a card says each fact once: of the description what neither the title nor the thing itself has told', (t) => {
  const news = (more: Partial<Approval>): string => {
    const asked = approval(more)
    return asked.description.slice(newsAt(asked))
  }
  const parts = [{ program: 'rm', args: ['-rf', 'build'] }]
  const command = { command: 'rm -rf build', command_parts: parts, folder: '/work/site' }
  t.equal(news({ ...command, description: 'Run a command: rm -rf build' }), '')
  t.equal(news({ ...command, description: 'Run a command in site: rm -rf build. Leaves the sandbox: needs the network.' }), 'Leaves the sandbox: needs the network.')
  t.equal(news({ ...command, command: 'rm  -rf\n build', description: 'Run a command: rm -rf build' }), '', 'as the service puts it into one line')
  t.equal(news({ ...command, command: 'echo hi.', description: 'Run a command: echo hi. It goes on.' }), 'It goes on.')
  for (const description of ['Run a command: rm -rf buildings', 'Deletes things. Run a command: rm -rf build', 'Run a command: rm -rf build; more']) {
    t.equal(news({ ...command, description }), description, 'what is not recognised is shown whole')
  }
  t.equal(news({ file: 'list.ts', diff: '', description: 'Write list.ts. It may write outside the workspace.' }), 'It may write outside the workspace.')
  t.equal(news({ file: 'list.ts', diff: '', description: 'Write other.ts' }), 'Write other.ts')
  t.equal(news({ request: { method: 'GET', scheme: 'https', host: 'example.org', path: '/a' }, description: 'Fetch https://example.org/a' }), '')
  t.equal(news({ description: 'Use the tool todo: x' }), 'Use the tool todo: x')

  const masks = [{ field: 'description', start: 4, end: 8 }]
  const cut = partsOf({ masks }, 'description', 'abc SECR def')
  t.same(partsFrom(cut, 2).map(({ text, kind }) => [text, kind]), [['c ', 'plain'], ['SECR', 'folded'], [' def', 'plain']])
  t.same(partsFrom(cut, 6), cut, 'a hidden part is never cut in two')
  t.same(partsFrom(cut, 9).map(({ text }) => text), ['def'])
  t.same(partsFrom(cut, 12), [])
})

t.test('of a command: what it deletes, and the programs in it where its text does not show them', (t) => {
  t.same(deletedBy([{ program: '/bin/rm', args: ['-rf', 'build', 'dist'] }, { program: 'rmdir', args: ['build'] }, { program: 'cp', args: ['a', 'b'] }]), ['build', 'dist'])
  t.same(deletedBy([{ program: 'rm', args: ['-f', '--', '-odd', '--'] }]), ['-odd', '--'])
  t.equal(sayMore('rm -rf build && npm run build', [{ program: 'rm', args: ['-rf', 'build'] }, { program: 'npm', args: ['run', 'build'] }]), false)
  t.equal(sayMore('sh -c "r\'\'m x"', [{ program: 'rm', args: ['x'] }]), true)
  t.equal(sayMore('a && b', [{ program: 'b', args: [] }, { program: 'a', args: [] }]), true, 'in another order')
})

const asked = (id: string): Waiting => ({ kind: 'approval', id, sessionId: 's', sessionTitle: '', profile: null, requestedAtS: 0, expiresAtS: 0, prompt: approval({ approval_id: id }) })

t.test('text in the box is the note to a denial only if its typing began while the request waited', (t) => {
  const text = signal('half a thought')
  const waiting = signal<readonly Waiting[]>([])
  const note = denialNote({ prompts: { of: () => waiting.value }, sessionId: signal('s'), draft: { text, isTyped: true } })
  t.teardown(() => note.stop())
  waiting.value = [asked('a'), asked('b')]
  t.equal(note.request.value, null, 'what was being typed when it came keeps its meaning')
  text.value = ''
  t.equal(note.request.value?.id, 'a')
  text.value = 'Not this file'
  t.equal(note.request.value?.id, 'a')
  waiting.value = [asked('b')]
  t.equal(note.request.value, null, 'answered meanwhile, the text does not deny the next one')
  text.value = '  '
  t.equal(note.request.value?.id, 'b')
  waiting.value = []
  t.equal(note.request.value, null)
})

t.test('text that nobody has typed while a request waited is no note to its denial', async (t) => {
  const api = new Api({ origin: 'http://localhost' })
  const begin = () => {
    const draft = new Draft('s', { api, store: null, saveAfterMs: 1_000_000 })
    const note = denialNote({ prompts: { of: () => [asked('a')] }, sessionId: signal('s'), draft })
    t.teardown(() => note.stop())
    t.equal(note.request.value?.id, 'a')
    return { draft, note }
  }
  const opened = begin()
  const before = 'typed before, on another device'
  opened.draft.offer({ text: before, files: [] })
  t.equal(opened.note.request.value, null, 'a stored draft that comes after the request')
  opened.draft.write(`${before}, and here`)
  t.equal(opened.note.request.value, null)
  // As they were stored: nothing is sent.
  opened.draft.write(before)
  await opened.draft.close()
  const refused = begin()
  refused.draft.giveBack('typed before, and refused without a network')
  t.equal(refused.note.request.value, null, 'a message that comes back')
  refused.draft.write('')
  refused.draft.write('Not this file')
  t.equal(refused.note.request.value?.id, 'a', 'but what is typed anew')
  refused.draft.write('')
  await refused.draft.close()
})
