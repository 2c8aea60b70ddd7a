import t from '../../test/support/harness.js'
import { englishReasons, isReasonCode, reasonCodes, type Reason } from '../../reasons/index.js'
import { sayWith } from '../../reasons/say.js'
import { type Approval } from '../src/core/conversation/prompts.js'
import { foldedText } from '../src/prompts/folding.js'
import { saidOf } from '../src/prompts/reasons.js'
import { subjectOf } from '../src/prompts/describe.js'
import { loadScreenWords, speak } from '../src/words/index.js'
import { languageCodes, languages } from '../src/words/languages.js'

const names = ['agent', 'call', 'command', 'error', 'files', 'folder', 'host', 'key', 'link', 'model', 'name', 'path', 'paths', 'place', 'preview', 'program', 'server', 'servers', 'setting', 'target', 'text', 'to', 'tool', 'url', 'value', 'what', 'why']
const params = { ...Object.fromEntries(names.map((name) => [name, `<${name}>`])), more: 7, tokens: 42, bytes: 19 }
const details: Reason[] = ['first.example', 'second.example'].map((host) => ({ code: 'host', params: { host } }))
const actions = /^(?:change_memory|change_schedules|fetch|read_files|run_command|run_command_in|save_skill|use_mcp_tool|use_tool|write_files)$/

for (const language of languageCodes) {
  t.test(`every reason is said in ${languages[language].name}, with what it names`, async (t) => {
    const { reasons: texts } = await languages[language].screens()
    for (const code of reasonCodes.filter((one) => !actions.test(one))) {
      const english = sayWith(englishReasons, { code, params, details })
      const text = sayWith(texts, { code, params, details })
      for (const name of [...names.map((one) => `<${one}>`), 'first.example', 'second.example', '42']) t.equal(text.includes(name), english.includes(name), `${code} names ${name}: ${text}`)
      t.notMatch(text, /undefined|NaN|\[object/, code)
      if (language !== 'en' && /[a-z]{3,} [a-z]{3,}/.test(english.replaceAll(/<\w+>/g, ''))) t.not(text, english, code)
    }
  })
}

const approval = (reasons: unknown, more: object = {}): Approval => ({ description: '', command: '', pattern_keys: [], reasons, ...more }) as unknown as Approval
const said = (asked: Approval) => { const parts = saidOf(asked); return parts === null ? null : foldedText(parts, (chars) => `[${chars}]`) }

t.test('a card says what there is to know in the language of the app, and hides what the sentence hides', async (t) => {
  const { document, localStorage } = globalThis
  Object.assign(globalThis, { document: { documentElement: {} }, localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} } })
  t.teardown(() => Object.assign(globalThis, { document, localStorage }))
  await loadScreenWords()
  const reasons = [{ code: 'run_command', params: { command: 'TOKEN=abc123 ./run' } }, { code: 'leaves_sandbox', params: { more: 0 }, details: [{ code: 'needs_network', params: { command: 'curl' } }] }, { code: 'agent_says', params: { why: 'abc123 is the key' } }]
  t.equal(said(approval(reasons)), 'Leaves the sandbox: curl needs the network. The agent gives this reason: “abc123 is the key”')
  const description = 'Run a command: TOKEN=abc123 ./run. …'
  const masks = [{ field: 'description', start: description.indexOf('abc'), end: description.indexOf('abc') + 6 }]
  t.match(said(approval(reasons, { description, masks })), /“\[6\] is the key”$/)
  const named = (name: string, word: string) => {
    const command = `${name}=${word} ./run`
    return { command, masks: [{ field: 'command', start: command.indexOf(word), end: command.indexOf(word) + word.length }] }
  }
  const reads = { code: 'reads_secrets', params: {} }
  const connects = { code: 'connects', params: { more: 0 }, details: [{ code: 'host', params: { host: 'evil.example' } }] }
  t.equal(said(approval([reads], named('PASSWORD', 'secrets'))), 'It may read secrets: keys, passwords, or the data of this service.', 'no credential hides words of the app')
  const both = named('PASSWORD', 'evil.example')
  t.equal(said(approval([connects], both)), 'It connects to [12].')
  t.equal(said(approval([connects], { ...both, command: `${both.command} https://evil.example` })), 'It connects to evil.example.', 'nor what is shown anyway')
  t.equal(said(approval([connects], { ...named('PASSWORD', '1'), command: 'PASSWORD=1 ./run' })), 'It connects to evil.example.', 'a number of a mark is no text')
  await speak('de')
  t.match(said(approval([reads], named('PASSWORD', 'Geheimnisse'))), /^Es kann Geheimnisse lesen/)
  t.equal(said(approval(reasons.slice(0, 2))), 'Verlässt die Sandbox: curl braucht das Netz.')
  await speak('ja')
  t.equal(said(approval([{ code: 'reads_outside', params: {} }, { code: 'reads_secrets', params: {} }]))?.includes(' '), false, 'no blanks between sentences')
  await speak('en')
  t.equal(said(approval([{ code: 'read_files', params: { paths: '/etc/hosts' } }, { code: 'reads_outside', params: {} }], { pattern_keys: ['read:outside'] })), '', 'its title asks that')
  t.equal(said(approval(reasons.slice(0, 1))), '', 'its title says the rest')
})

t.test('the sentence of the service is shown where a code is not known, or none is sent', async (t) => {
  await loadScreenWords()
  for (const reasons of [undefined, [{ code: 'of_later', params: {} }], [{ code: 'constructor', params: {} }], [{ code: 'connects', params: { more: 0 }, details: [{ code: 'of_later', params: {} }] }]]) t.equal(saidOf(approval(reasons)), null)
  t.notOk(isReasonCode('toString'))
})

t.test('the title of a card of a task says what becomes of it', async (t) => {
  const asked = (action: string): Approval =>
    ({ pattern_key: 'write:schedules', pattern_keys: ['write:schedules'], file: 'schedule: A@b', diff: '', job_change: { action, name: 'A@b' } }) as unknown as Approval
  t.same(['create', 'update', 'pause', 'resume', 'remove'].map((action) => subjectOf(asked(action))),
    ['createTask', 'editTask', 'pauseTask', 'resumeTask', 'deleteTask'].map((kind) => ({ kind, name: 'A@b' })))
})
