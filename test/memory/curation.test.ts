import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { curateMark } from '../../services/agent/engines/quoted-conversation.js'
import { tidiedText } from '../../services/areas/memory/index.js'
import { start, type Answer } from '../support/app.js'
import { said, startChat, type ChatService } from '../support/chat.js'
import { type ModelStep } from '../support/model-endpoint.js'

const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'
const before = `# Notes\n\n- The deploy key is ${secret}\n- Likes tea\n- Likes tea a lot\n- The release is on Friday\n`
const fileOf = (service: ChatService, ...path: string[]): string => join(service.folder, 'home', ...path)
const notes = (service: ChatService): string => fileOf(service, 'memories', 'MEMORY.md')
const curate = async (service: ChatService, section: unknown = 'memory'): Promise<Answer> => await service.post('/api/memory/curate', { section })
const asked = (service: ChatService) => service.endpoint.requests.filter((request) => said(request, 'system')[0]?.startsWith(curateMark) === true)
const shownIn = (text: string): string => /<document>\n([^]*)\n<\/document>/.exec(text)![1]!
const wrapped = (text: string): string => `<document>\n${text}\n</document>`

/** Sets what the curator makes of the document that it is shown. */
function answer (service: ChatService, make: (shown: string) => string, ...more: ModelStep[]): void {
  service.endpoint.script((request) => [{ text: make(shownIn(said(request, 'user')[0]!)) }, ...more])
}

async function withNotes (t: Parameters<typeof startChat>[0], { config = 'model:\n  default: test-model\n  provider: openai\n', text = before } = {}): Promise<ChatService> {
  const service = await startChat(t)
  writeFileSync(fileOf(service, 'config.yaml'), config)
  mkdirSync(fileOf(service, 'memories'), { recursive: true })
  writeFileSync(notes(service), text)
  return service
}

t.test('a model proposes a tidier version, which is written when a person wants it, with what was masked', async (t) => {
  const service = await withNotes(t)
  answer(service, (shown) => `Here it is:\n${wrapped(shown.replace('- Likes tea\n', ''))}`, { usage: { input: 100, output: 50 } })
  const { status, body } = await curate(service)
  t.equal(status, 200)
  t.same(Object.keys(body).toSorted(), ['diff', 'section', 'text', 'version'])
  t.match(body, { section: 'memory', text: /^# Notes\n\n- The deploy key is .*\n- Likes tea a lot\n- The release is on Friday\n$/, diff: /^-- Likes tea$/m })
  t.notMatch(JSON.stringify(body), secret)
  t.equal(readFileSync(notes(service), 'utf8'), before, 'nothing is written')
  t.notMatch(JSON.stringify(asked(service).map(({ body }) => body)), secret, 'nor is the model shown a credential')
  t.equal(asked(service)[0]?.model, 'test-model', 'the main model, where the slot has none')
  t.match((await service.get('/api/budgets')).body, { day: { tokens: 150 } })
  t.match(service.app.db.sqlite.prepare('select kind, model, session_id as session from usage').all(), [{ kind: 'curate', model: 'test-model', session: '' }], 'in the books, of no conversation')

  t.equal((await service.post('/api/memory/write', { section: 'memory', content: body.text, if_match: body.version })).status, 200)
  t.equal(readFileSync(notes(service), 'utf8'), before.replace('- Likes tea\n', ''))
  t.match(await service.post('/api/memory/write', { section: 'memory', content: body.text, if_match: body.version }), { status: 409, body: { code: 'changed' } })
})

t.test('the slot has a model of its own, and is listed', async (t) => {
  const service = await withNotes(t)
  answer(service, wrapped)
  t.match(await service.post('/api/model/set', { scope: 'auxiliary', task: 'curator', model: 'test-tools', provider: 'openai' }), { status: 200, body: { task: 'curator' } })
  t.match((await service.get('/api/model/auxiliary')).body.tasks.find(({ task }: { task: string }) => task === 'curator'), { label: 'Memory', model: 'test-tools', provider: 'openai' })
  t.match((await curate(service)).body, { diff: '' }, 'nothing is to be tidied')
  t.equal(asked(service)[0]?.model, 'test-tools')
})

t.test('where credentials are not masked, they come back into what is proposed', async (t) => {
  const service = await withNotes(t)
  await service.post('/api/settings', { api_redact_enabled: false })
  answer(service, (shown) => wrapped(shown.replace('- Likes tea\n', '')))
  t.equal((await curate(service)).body.text, before.replace('- Likes tea\n', ''))
  t.notMatch(JSON.stringify(asked(service).map(({ body }) => body)), secret)
})

t.test('what a model says that cannot take the place of the document', async (t) => {
  const service = await withNotes(t)
  for (const [make, error] of [
    [() => 'I am sorry, but I cannot do that.', /did not return the whole/],
    [(shown: string) => `<document>\n${shown}`, /did not return the whole/],
    [() => wrapped('  '), /an empty document/],
    [(shown: string) => wrapped(shown.repeat(9)), /made the document longer/],
    [() => wrapped('- Everything here was invented by somebody else entirely'), /something other than the document/],
    [(shown: string) => wrapped(shown.replace('The deploy key', 'Deploy key')), /masked values/],
    [(shown: string) => wrapped(`${shown.split('\n')[2]}\n${shown}`), /masked values/]
  ] as const) {
    answer(service, make)
    t.match(await curate(service), { status: 502, body: { code: 'model_failed', error } }, String(error))
  }
  service.endpoint.script(() => [{ refuse: 401, error: `Incorrect API key ${secret}` }])
  const refused = await curate(service)
  t.match(refused, { status: 502, body: { code: 'model_failed', error: /did not answer/ } })
  t.notMatch(refused.text, secret)
  t.equal(readFileSync(notes(service), 'utf8'), before)
})

t.test('what is not tidied', async (t) => {
  const service = await withNotes(t)
  answer(service, wrapped)
  for (const section of ['secrets', '', 5, null, '__proto__']) t.match(await curate(service, section), { status: 400, body: { error: /section/ } }, String(section))
  t.match(await curate(service, 'user'), { status: 409, body: { code: 'empty_document', error: /USER.md is empty/ } })
  writeFileSync(notes(service), ' \n')
  t.match(await curate(service), { status: 409, body: { code: 'empty_document' } })
  writeFileSync(notes(service), 'x'.repeat(20_001))
  t.match(await curate(service), { status: 413, body: { code: 'too_large', error: /MEMORY.md has 20001 bytes; the agent reads 20000/ } })
  writeFileSync(notes(service), Buffer.from([0xff, 0xfe, 0x00, 0x41]))
  t.match(await curate(service), { status: 409, body: { code: 'not_text' } })
  rmSync(notes(service))
  mkdirSync(notes(service))
  t.match(await curate(service), { status: 409, body: { code: 'not_text' } })
  t.equal(asked(service).length, 0)
})

t.test('a document that is switched off, a budget that is used up, and no model', async (t) => {
  const model = 'model:\n  default: test-model\n  provider: openai\n'
  const off = await withNotes(t, { config: `${model}memory:\n  memory_enabled: false\n` })
  t.match(await curate(off), { status: 403, body: { error: /MEMORY.md is turned off/ } })
  const poor = await withNotes(t, { config: `${model}budgets:\n  day:\n    hard_tokens: 100\n` })
  answer(poor, wrapped, { usage: { input: 100, output: 50 } })
  t.equal((await curate(poor)).status, 200)
  t.match(await curate(poor), { status: 409, body: { code: 'budget_used_up', error: /150 of 100 tokens/ } })
  t.equal(asked(poor).length, 1)
  const demo = await withNotes(t, { config: 'auxiliary:\n  curator:\n    provider: offline-demo\n' })
  t.match(await curate(demo), { status: 409, body: { code: 'no_model', error: /demo/ } })
  const none = await withNotes(t, { config: 'auxiliary:\n  curator:\n    provider: nobody\n    model: x\n' })
  t.match(await curate(none), { status: 409, body: { code: 'no_model' } })
})

t.test('who is not let in has nothing tidied', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.equal((await service.post('/api/memory/curate', { section: 'memory' })).status, 401)
})

t.test('the document in what a model has said', async (t) => {
  t.same(tidiedText('one\r\ntwo\r\ntwo\r\n', wrapped('one\ntwo')), { text: 'one\r\ntwo\r\n' }, 'line ends stay those of the document')
  t.same(tidiedText('one\ntwo', wrapped('one  \ntwo\n')), { text: 'one\ntwo' }, 'blanks are no change')
  t.same(tidiedText('see <document> and\n</document>\nend end', wrapped('see <document> and\n</document>\nend')), { text: 'see <document> and\n</document>\nend\n' })
  t.match(tidiedText('ein\nzwei\n', '<document></document>'), { problem: /whole/ })
  t.same(tidiedText('他喜欢喝茶\n他喜欢喝茶\n', wrapped('他喜欢喝茶')), { text: '他喜欢喝茶\n' }, 'words of any script')
})
