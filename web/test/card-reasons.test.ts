import { createTwoFilesPatch } from 'diff'
import t from '../../test/support/harness.js'
import { englishReasons, isReasonCode, reasonCodes, type Reason } from '../../reasons/index.js'
import { sayWith } from '../../reasons/say.js'
import { type Approval } from '../src/core/conversation/prompts.js'
import { foldedText } from '../src/prompts/folding.js'
import { saidOf } from '../src/prompts/reasons.js'
import { subjectOf } from '../src/prompts/describe.js'
import { jobChangeIn } from '../src/tasks/job-change.js'
import { loadScreenWords, speak } from '../src/words/index.js'
import { languageCodes, languages } from '../src/words/languages.js'

const names = ['agent', 'call', 'command', 'error', 'files', 'folder', 'host', 'key', 'model', 'name', 'path', 'paths', 'place', 'preview', 'program', 'server', 'servers', 'setting', 'target', 'text', 'tool', 'url', 'value', 'what', 'why']
const params = { ...Object.fromEntries(names.map((name) => [name, `<${name}>`])), more: 7, tokens: 42, bytes: 19 }
const details: Reason[] = ['first.example', 'second.example'].map((host) => ({ code: 'host', params: { host } }))
const deeds = /^(?:change_memory|change_schedules|fetch|read_files|run_command|run_command_in|save_skill|use_mcp_tool|use_tool|write_files)$/

for (const language of languageCodes) {
  t.test(`every reason is said in ${languages[language].name}, with what it names`, async (t) => {
    const { reasons: texts } = await languages[language].screens()
    for (const code of reasonCodes.filter((one) => !deeds.test(one))) {
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

const job = (more: Record<string, string> = {}, prompt = 'Say hello.\n\nName: no field') =>
  Object.entries({ Name: 'A@b (c), d', When: 'every day at 8am (At 08:00), UTC', Next: '2026-11-30T08:00:00+00:00, 2026-12-01T08:00:00+00:00', Results: 'local', ...more })
    .map(([name, value]) => `${name}: ${value}`).join('\n') + `\nPrompt:\n${prompt}`
const jobDiff = (before: string | null, after: string) => createTwoFilesPatch(before === null ? '/dev/null' : 'a/schedule: A@b', 'b/schedule: A@b', before ?? '', after, undefined, undefined, { context: 1_000 })

t.test('the card of a task has its fields, before and after', async (t) => {
  const plain = { name: 'A@b (c), d', display: 'every day at 8am', words: 'At 08:00', zone: 'UTC', runs: ['2026-11-30T08:00:00+00:00', '2026-12-01T08:00:00+00:00'], state: null, deliver: 'local', model: null, skills: null, folder: null, waits: false, prompt: 'Say hello.\n\nName: no field' }
  t.same(jobChangeIn(jobDiff(null, job()), false), { before: null, after: plain, promptDiff: null })
  t.same(jobChangeIn(jobDiff(job(), ''), false), { before: plain, after: null, promptDiff: null })
  t.same(jobChangeIn(jobDiff(job(), job({ Next: 'paused' })), false), { before: plain, after: { ...plain, runs: [], state: 'paused' }, promptDiff: null }, 'the prompt is there even if only the state changes')
  const long = Array.from({ length: 30 }, (_, at) => `line ${at}`).join('\n')
  const changed = jobChangeIn(jobDiff(job({}, long), job({ When: 'every 30m, Europe/Berlin', Questions: 'wait for an answer' }, `${long}\nmore`)), false)
  t.match(changed, { before: { prompt: long }, after: { display: 'every 30m', words: null, zone: 'Europe/Berlin', waits: true } })
  t.match(changed?.promptDiff, /^--- a\/prompt\n\+\+\+ b\/prompt\n@@ -1,30 \+1,31 @@\n line 0\n[^]*\n\+more\n$/)
})

t.test('what is no such card is shown as it is', async (t) => {
  t.equal(jobChangeIn(jobDiff(job(), job({}, 'x')), true), null, 'the end is missing')
  t.equal(jobChangeIn(jobDiff(null, job()).slice(0, 60), true), null)
  t.not(jobChangeIn(jobDiff(null, job({}, 'x'.repeat(500))).slice(0, 400), true), null, 'of a new task the beginning is enough')
  t.equal(jobChangeIn(jobDiff(null, job({ Cost: '5' })), false), null, 'a field of another version')
  t.equal(jobChangeIn(jobDiff(null, job({ Name: 'a\nName: b' })), false), null)
  t.equal(jobChangeIn('', false), null)
  const asked = (diff: string): Approval => ({ pattern_key: 'write:schedules', pattern_keys: ['write:schedules'], file: 'schedule: A@b', diff }) as unknown as Approval
  t.same([jobDiff(null, job()), jobDiff(job(), ''), jobDiff(job(), job({}, 'x'))].map((diff) => subjectOf(asked(diff)).kind), ['createTask', 'deleteTask', 'editTask'])
})
