import t from '../../test/support/harness.js'
import { sayInEnglish } from '../../schedules/english.js'
import { Api } from '../src/core/service/api.js'
import { createEditing, documentOf } from '../src/memory/documents.js'
import { rowsOf, withFact, withRow } from '../src/memory/facts.js'
import { originsIn } from '../src/memory/origins.js'
import { factsOf } from '../src/models/facts.js'
import { fallbacksBody, moved, withFallback } from '../src/models/fallback-list.js'
import { models as modelWords } from '../src/words/en/models.js'
import { groupSkills, searchSkills, splitFrontMatter, type Skill } from '../src/skills/catalog.js'
import { nameFrom, readSkill, writeSkill } from '../src/skills/skill-text.js'
import { costOfRun, runsOfMonth } from '../src/tasks/costs.js'
import { createHistory, firstLine, readReport } from '../src/tasks/history.js'
import { createSchedulePreview } from '../src/tasks/schedule-preview.js'
import { bodyOf, bodyOfTask, emptyForm, formOf, isComplete, modelKey, scheduleOf, sortTasks, stateOf, type Task } from '../src/tasks/task-form.js'
import { fortnight, zonedTime } from '../src/tasks/zoned-time.js'
import { barsOf, isLimit } from '../src/usage/numbers.js'
import { start } from '../../test/support/app.js'

t.test('a task goes through its form and back, and can be made again after it was deleted', async (t) => {
  const s = await start(t)
  const api = new Api({ origin: s.url })
  const form = { ...emptyForm, name: 'Look', prompt: 'list', schedule: 'weekdays 9:30', times: '3', ask: 'wait' as const, toast: false, delivery: 'webhook' as const, webhookUrl: 'https://example.org/hook', model: modelKey('openai', 'gpt-x') }
  const { job } = await api.post('/api/crons/create', bodyOf(form))
  t.same(formOf(job), { ...form, schedule: job.schedule.expression, profile: 'default' })
  t.equal(stateOf(job), 'scheduled')
  const { job: changed } = await api.post('/api/crons/update', { ...bodyOf({ ...formOf(job), times: '', model: '', delivery: 'local', name: 'Another' }), job_id: job.id })
  t.match(changed, { name: 'Another', deliver: 'local', model: null, next_run_at: job.next_run_at })
  t.equal(changed.repeat.times, null)
  await api.post('/api/crons/delete', { job_id: job.id })
  const { job: again } = await api.post('/api/crons/create', bodyOfTask(changed))
  t.same(formOf(again), formOf(changed))
  await t.rejects(api.post('/api/crons/create', bodyOf({ ...form, schedule: 'when the moon is full' })), { status: 400, message: /when the moon is full/ })

  const history = createHistory(api)
  await history.of(again.id).refresh()
  t.same(history.of(again.id).value.value, { runs: [], total: 0 })
})

t.test('a form says what it lacks, and sends the hour that was chosen', async (t) => {
  t.equal(isComplete(emptyForm), false)
  const form = { ...emptyForm, prompt: 'x', schedule: '1h' }
  t.equal(isComplete(form), true)
  for (const times of ['0', '-1', '1.5', 'often']) t.equal(isComplete({ ...form, times }), false, times)
  t.equal(isComplete({ ...form, delivery: 'webhook' }), false)
  t.equal(scheduleOf({ schedule: ' every weekday morning ', hour: null }, sayInEnglish), 'every weekday morning')
  t.equal(scheduleOf({ schedule: 'every weekday morning', hour: 8 }, sayInEnglish), 'every weekday at 8:00', 'another hour than the guessed one')
  t.equal(scheduleOf({ schedule: 'every 2 hours', hour: 8 }, sayInEnglish), 'every 2 hours')
  const at = (name: string, next: string | null) => ({ name, next_run_at: next }) as Task
  t.same(sortTasks([at('b', null), at('late', '2030-01-02T00:00:00Z'), at('a', null), at('soon', '2030-01-01T00:00:00Z')]).map(({ name }) => name), ['soon', 'late', 'a', 'b'])
})

t.test('what a schedule means is said while it is typed', async (t) => {
  const s = await start(t)
  const preview = createSchedulePreview(new Api({ origin: s.url }), { afterMs: 1 })
  const early = preview.look('every', '')
  const late = preview.look('every 30m', '')
  await Promise.all([early, late])
  t.match(preview.previewed.value, { kind: 'understood', preview: { schedule: { kind: 'interval', minutes: 30 }, next_runs: { length: 20 } } })
  const { value } = preview.previewed
  // Of today nothing may be left.
  t.ok(value?.kind === 'understood' && value.preview.days.length >= 13)
  await preview.look('every 2 moons', '')
  t.match(preview.previewed.value, { kind: 'refused', why: /"every 2 moons" is not a schedule/ })
  await preview.look('every 2h', 'nobody')
  t.match(preview.previewed.value, { kind: 'refused', why: /nobody/ })
  await preview.look(' ', '')
  t.equal(preview.previewed.value, null)
  await s.stop()
  await preview.look('every 2h', '')
  t.equal(preview.previewed.value, null, 'without the service nothing is claimed')
})

t.test('results say how they went in a line, and runs what a month costs', async (t) => {
  const report = (rest: string) => readReport(`# Scheduled job: x\n\n- Status: ok\n\n## Prompt\n\n> ## Response\n${rest}`)
  t.same(report('\n## Response\n\n# All *well*\n\nTwo files.\n'), { status: 'ok', answer: '# All *well*\n\nTwo files.', error: '' })
  t.same(readReport('- Status: error\n\n## Error\n\nNo key\n'), { status: 'failed', answer: '', error: 'No key' })
  t.equal(firstLine('\n# All *well*\n\nTwo files.'), 'All well')
  const used = (cost: number | null) => ({ usage: { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0, estimated_cost: cost, model: 'x' } })
  t.equal(costOfRun([used(0.04), used(null), used(0.02), { usage: null }]), 0.03)
  t.equal(costOfRun([used(null)]), null)
  t.equal(runsOfMonth(['2026-06-01T09:00Z', '2026-06-02T09:00Z', '2026-06-03T09:00Z']), 30)
  t.equal(runsOfMonth(['2026-06-01T09:00Z']), null)
})

t.test('moments are those of the zone of a task', async (t) => {
  const now = new Date('2026-11-23T22:30Z')
  t.same(zonedTime(new Date('2026-11-24T08:05Z'), 'Europe/Berlin'), { date: '2026-11-24', time: '9:05' })
  t.same(zonedTime(new Date('2026-11-24T08:05Z'), 'Asia/Tokyo'), { date: '2026-11-24', time: '17:05' })
  t.same([fortnight('Asia/Tokyo', now)[0], fortnight('UTC', now).at(-1)], ['2026-11-24', '2026-12-06'])
})

t.test('what is known of a model is said, and what is not is not made up', async (t) => {
  const facts = (more: Partial<Parameters<typeof factsOf>[0]>) => factsOf({ price: null, context_length: null, vision: null, reasoning: null, ...more }, modelWords.facts).join(' · ')
  t.equal(facts({}), 'price unknown')
  t.equal(facts({ price: { input: 0, output: 0 } }), 'free')
  t.equal(facts({ price: { input: 0, output: 0.4 }, vision: false }), '$0 in, $0.40 out per million')
  t.equal(facts({ price: { input: 1.1, output: 0.075, tiers: [{ input_tokens_above: 200_000, input: 2.5, output: 15 }] }, context_length: 1_000_000, vision: true, reasoning: true }),
    '$1.10 in, $0.075 out per million (above 200K: $2.50, $15) · 1M tokens · sees images · reasons')
})

t.test('fallbacks are added, put in order and taken out', async (t) => {
  const s = await start(t, { env: { OPENAI_API_KEY: 'sk-test-12345678' } })
  const api = new Api({ origin: s.url })
  const read = async () => await api.get('/api/model/fallbacks')
  const first = await read()
  t.same(first.fallbacks, [])
  const one = await api.post('/api/model/fallbacks', fallbacksBody(withFallback(first.fallbacks, 'gpt-4o', 'openai'), first.version))
  const two = await api.post('/api/model/fallbacks', fallbacksBody(withFallback(one.fallbacks, 'gpt-4.1', 'openai'), one.version))
  t.same(withFallback(two.fallbacks, 'gpt-4o', 'openai'), two.fallbacks, 'none twice')
  const names = (list: typeof two) => list.fallbacks.map(({ means }) => means?.label)
  t.same(names(two), ['GPT-4o', 'GPT-4.1'])
  const turned = await api.post('/api/model/fallbacks', fallbacksBody(moved(two.fallbacks, 1, 0), two.version))
  t.same(names(turned), ['GPT-4.1', 'GPT-4o'])
  t.same(moved([1, 2], 0, 2), [1, 2])
  await t.rejects(api.post('/api/model/fallbacks', fallbacksBody([], two.version)), { status: 409, message: /Someone else/ })
  t.same(names(await read()), ['GPT-4.1', 'GPT-4o'])
})

t.test('two write the same document: nothing is lost, and the person decides', async (t) => {
  const s = await start(t)
  const api = new Api({ origin: s.url })
  const read = async () => documentOf(await api.get('/api/memory'), 'memory')
  const mine = createEditing(api, 'memory', await read(), read)
  const theirs = createEditing(api, 'memory', await read(), read)
  theirs.type('theirs\n')
  t.equal(await theirs.save(), true)
  t.equal(theirs.isChanged.value, false)
  mine.type('mine\n')
  t.equal(await mine.save(), false)
  t.equal(mine.text.value, 'mine\n', 'what was typed is still there')
  t.equal(mine.conflict.value?.text, 'theirs\n')
  t.equal(await mine.saveOver(), true)
  t.equal((await read()).text, 'mine\n')

  theirs.told(await read())
  t.equal(theirs.text.value, 'mine\n', 'what nobody has changed follows')
  theirs.type('more\n')
  mine.type('again\n')
  await mine.save()
  theirs.told(await read())
  t.equal(theirs.text.value, 'more\n', 'what is being typed does not')
  t.equal(theirs.conflict.value?.text, 'again\n')
  theirs.takeTheirs()
  t.equal(theirs.text.value, 'again\n')
  t.equal(theirs.isChanged.value, false)
})

t.test('skills are found by all words, and stand by category', async (t) => {
  const skill = (name: string, category: string, description = '') => ({ name, category, description, tags: ['tag'] }) as unknown as Skill
  const all = [skill('b', 'z'), skill('review', 'dev', 'Look at a change'), skill('a', ''), skill('c', 'dev')]
  t.same(searchSkills(all, 'look DEV').map(({ name }) => name), ['review'])
  t.same(searchSkills(all, 'entwick', ({ category }) => category === 'dev' ? ['Entwicklung'] : []).map(({ name }) => name), ['review', 'c'], 'as shown')
  t.equal(searchSkills(all, '  ').length, 4)
  t.same(groupSkills(all).map(({ name, skills }) => [name, skills.map((one) => one.name)]), [['', ['a']], ['dev', ['c', 'review']], ['z', ['b']]])
  t.same(splitFrontMatter('---\nname: x\n---\n\n# Y\n'), { front: 'name: x', body: '\n# Y\n' })
  t.same(splitFrontMatter('# Y\n---\n'), { front: '', body: '# Y\n---\n' })
})

t.test('a skill is a form, and what the form does not know of it stays', async (t) => {
  const content = '---\nname: notes\ntags: [a, b]\ndescription: "Write: notes"\n---\n\n# Steps\n'
  t.same(readSkill(content), { name: 'notes', description: 'Write: notes', body: '# Steps' })
  t.equal(writeSkill(content, { name: 'Release notes', description: 'Say "what" $& is new', body: 'One' }), '---\nname: release-notes\ntags: [a, b]\ndescription: "Say \\"what\\" $& is new"\n---\n\nOne\n')
  t.same(readSkill(writeSkill('', { name: 'a', description: 'b', body: 'c' })), { name: 'a', description: 'b', body: 'c' })
  const folded = '---\nname: x\ndescription: >\n  Two\n  lines\n---\nText\n'
  t.equal(readSkill(folded).description, null)
  t.ok(writeSkill(folded, { ...readSkill(folded), body: 'Other' }).includes('description: >\n  Two\n  lines\n'))
  t.equal(nameFrom('Write the release notes, from commits'), 'write-the-release-notes')
})

t.test('a document is facts, each with its origin', async (t) => {
  const text = '# Site\n\n- One\n- Two\n  goes on\n\nA paragraph\nof two lines\n'
  const rows = rowsOf(text)
  t.same(rows.map(({ kind, text }) => [kind, text]), [['heading', 'Site'], ['fact', 'One'], ['fact', 'Two\ngoes on'], ['fact', 'A paragraph\nof two lines']])
  t.equal(rows.filter(({ kind }) => kind === 'fact').reduce((whole, row) => withRow(whole, row, row.text), text), text, 'written as it was read')
  t.equal(withRow(text, rows[2]!, 'Three\nand four'), text.replace('Two\n  goes on', 'Three\n  and four'))
  t.equal(withRow(text, rows[1]!, null), text.replace('- One\n', ''))
  t.equal(withFact('- One', ' Two '), '- One\n- Two\n')
  t.equal(withFact('', 'One'), '- One\n')

  const version = (author: 'person' | 'agent', at: number, ...facts: string[]) => ({ version: { author, created_at: at }, facts: new Set(facts) })
  const looked = [version('person', 4, 'a', 'b', 'c'), version('agent', 3, 'a', 'b'), version('person', 2, 'a'), version('agent', 1, 'a', 'b')]
  t.same([...originsIn(looked, true)], [
    ['a', { author: 'agent', created_at: 1, isOlder: true }], ['b', { author: 'agent', created_at: 3, isOlder: false }], ['c', { author: 'person', created_at: 4, isOlder: false }]
  ])
})

t.test('days become bars, of long times weeks that end today; a limit is a number above zero', async (t) => {
  const days = Array.from({ length: 90 }, (_, at) => ({ date: new Date(Date.UTC(2026, 0, 1 + at)).toISOString().slice(0, 10), tokens: 1 }))
  const weeks = barsOf(days, ({ tokens }) => [tokens], (date) => String(date.getDate()))
  t.equal(weeks.reduce((sum, { values }) => sum + values[0]!, 0), 90, 'no day is left out')
  t.equal(weeks.at(-1)!.values[0], 7)
  t.equal(barsOf(days.slice(0, 30), ({ tokens }) => [tokens], String).length, 30)

  for (const wrong of ['0', '-1', 'x', '1e3', '1.5.2']) t.equal(isLimit('hard_usd', wrong), false, wrong)
  t.equal(isLimit('hard_tokens', '1.5'), false)
})
