import { signal } from '@preact/signals-core'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '../../test/support/harness.js'
import { Attachments } from '../src/core/composer/attachments.js'
import { BackgroundTasks } from '../src/core/conversation/background-tasks.js'
import { findCommand, matchCommands, parseCommand, withOwn, type Command } from '../src/core/composer/commands.js'
import { Completion } from '../src/core/composer/completion.js'
import { Composer } from '../src/core/composer/composer.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { Draft } from '../src/core/composer/drafts.js'
import { MentionedFolders, mentionAt, splitPath } from '../src/core/composer/mentions.js'
import { runCommand, type CommandContext } from '../src/core/composer/run-command.js'
import { SideQuestions } from '../src/core/conversation/side-questions.js'
import { Yolo } from '../src/core/conversation/yolo.js'
import { commands as words } from '../src/words/en/commands.js'
import { gate, held, startChat, type ChatService } from '../../test/support/chat.js'
import { sessionWith } from '../../test/support/page.js'
import { browserApp, plainUpload, shownIn, soon, until } from './browser-app.js'

/** A box in which commands are done, with everything that they have said and shown. */
async function open (t: Test, s: ChatService, sessionId: string | null) {
  const { api, link } = browserApp(t, s.url)
  const conversation = new Conversation({ api, link, sessionId, schedule: soon })
  const draft = new Draft(sessionId, { api, store: null, saveAfterMs: 1 })
  const attachments = new Attachments({ upload: plainUpload(api), ensure: () => conversation.ensure() })
  const composer = new Composer({ conversation, draft, attachments, textForFiles: String })
  const sideQuestions = new SideQuestions({ api, link, schedule: soon })
  const backgroundTasks = new BackgroundTasks({ api, link, store: null })
  const log: string[] = []
  const note = (what: string) => (...of: unknown[]) => { log.push([what, ...of.filter((one) => one !== undefined).map((one) => typeof one === 'string' ? one : JSON.stringify(one))].join(' ')) }
  const yolo = new Yolo(api)
  const context: CommandContext = {
    api, conversation, sideQuestions, backgroundTasks, yolo, words,
    say: (text) => note('say')(text), show: note('show'), open: note('open'), giveBack: note('back'), download: note('download'), next: note('next'), reload: note('reload')
  }
  const { commands } = await api.get('/api/commands', sessionId === null ? {} : { session_id: sessionId })
  const type = async (text: string) => {
    draft.write(text)
    return await composer.submit({ run: (typed) => runCommand(context, withOwn(commands), typed) })
  }
  t.teardown(async () => {
    backgroundTasks.close()
    await composer.close()
    conversation.close()
  })
  if (sessionId !== null) await until(() => conversation.state.value === 'ready')
  return { api, conversation, draft, attachments, composer, sideQuestions, backgroundTasks, yolo, commands, type, log }
}

const row = (name: string, more: Partial<Command> = {}): Command => ({ name, description: '', category: '', aliases: [], args_hint: '', subcommands: [], cli_only: false, gateway_only: false, ...more })

t.test('what is a command, and which ones answer to what was typed', async (t) => {
  t.same(parseCommand(' /Review_PR  12\nnow '), { name: 'review-pr', args: '12\nnow' })
  t.same(parseCommand('/ein:über'), { name: 'ein:über', args: '' })
  for (const text of ['', '/', '// no', '/usr/bin', 'say /goal', '/ goal', '/.hidden']) t.equal(parseCommand(text), null, text)
  const commands = [row('new', { aliases: ['reset'] }), row('skill-review'), row('review'), row('preview'), row('export', { description: 'Mine' })]
  t.same(matchCommands(commands, 're').map(({ name }) => name), ['review', 'new', 'skill-review', 'preview'])
  t.equal(findCommand(commands, 'RESET')?.name, 'new')
  t.equal(findCommand(commands, 'constructor'), null)
  t.equal(findCommand(withOwn(commands), 'export')?.description, 'Mine', 'what the service has under that name comes first')
  t.equal(findCommand(withOwn([]), 'export')?.subcommands[0], 'json')
})

t.test('where a file is mentioned', async (t) => {
  const at = (text: string) => mentionAt(text.replace('|', ''), text.indexOf('|'))
  t.same(at('see @src/ap| please'), { start: 4, end: 11, path: 'src/ap' })
  t.same(at('@|'), { start: 0, end: 1, path: '' })
  t.same(at('(@"my fi|'), { start: 1, end: 8, path: 'my fi' })
  for (const text of ['me@home.org|', 'a @b c|', 'none|', '@"closed" |']) t.equal(at(text), null, text)
  t.same([splitPath('a'), splitPath('src/core/a'), splitPath('./a'), splitPath('/a/'), splitPath('../a')], [
    { folder: '.', name: 'a' }, { folder: 'src/core', name: 'a' }, { folder: '.', name: 'a' }, { folder: 'a', name: '' }, { folder: '..', name: 'a' }
  ])
})

t.test('commands, their arguments and files of the workspace are offered while they are typed', async (t) => {
  const s = await startChat(t)
  const id = await sessionWith(s)
  const { api, commands } = await open(t, s, id)
  mkdirSync(join(s.workspace, 'source'))
  mkdirSync(join(s.workspace, 'deep/er/still'), { recursive: true })
  for (const name of ['source/main file.ts', 'source/util.ts', 'resource.md', '.secret', 'deep/er/still/use-sources.ts', 'deep/er/still/my "odd".ts', 'deep/er/other.ts']) writeFileSync(join(s.workspace, name), '')
  const folders = new MentionedFolders({ api, sessionId: async () => id })
  const completion = new Completion({ commands: signal(commands), about: ({ description }) => description, folders, searchAfterMs: 1 })
  const look = async (text: string) => {
    await completion.look(text.replace('|', ''), text.includes('|') ? text.indexOf('|') : text.length)
    return completion.suggestions.map(({ label }) => label)
  }
  t.equal((await look('/')).length, Math.min(60, commands.length))
  t.same((await look('/ba'))[0], '/background')
  t.match(completion.suggestions[0], { hint: '<task>', about: 'Run a task beside this conversation' })
  t.match(completion.take(), { text: '/background ', caret: 12 })
  t.same(await look('/background'), ['/background'])
  t.equal(completion.isWritten, true, 'Enter sends it')
  t.same(await look('/goal p'), ['pause'])
  t.match(completion.take(), { text: '/goal pause' })
  for (const text of ['/goal paint the wall', 'not /goal', '/usr/bin/x', '/go|al']) t.same(await look(text), [], text)

  t.same(await look('Look at @so| now'), ['source/', 'use-sources.ts', 'resource.md', 'util.ts', 'main file.ts'], 'what begins so, then as the service ranks it')
  completion.move(-1)
  t.equal(completion.active.value, 4)
  t.match(completion.take(0), { text: 'Look at @source/ now', caret: 16 })
  t.same(await look('Look at @source/| now'), ['main file.ts', 'util.ts'])
  t.match(completion.take(), { text: 'Look at @"source/main file.ts" now' })
  t.same((await look('@.'))[0], '.secret', 'hidden ones where they are asked for')
  for (const text of ['@../', '@no/such/', '@resource.md/']) t.same(await look(text), [], text)

  t.same(await look('@deep/'), ['er/'], 'in a folder what it holds')
  t.same(await look('@er/oth'), ['other.ts'], 'a name is looked for everywhere')
  t.match(completion.suggestions[0], { about: 'deep/er', insert: '@deep/er/other.ts ', key: 'deep/er/other.ts' })
  t.same(await look('@odd'), [], 'no quotes within quotes')

  // Somebody types on before the answer is there.
  const early = completion.look('@usource', 8)
  const late = completion.look('@usources', 9)
  await Promise.all([early, late])
  t.match(completion.suggestions.map(({ insert }) => insert), ['@deep/er/still/use-sources.ts '])
  t.match(completion.take(), { text: '@deep/er/still/use-sources.ts ' })

  await look('@s')
  completion.putAway()
  t.same(await look('@so'), [], 'put away for this word')
  t.same((await look('@so and @so'))[0], 'source/')
})

t.test('what the service lists as built in is done by the app', async (t) => {
  const s = await startChat(t)
  const id = await sessionWith(s, [{ text: 'One' }], [{ text: 'Two' }], [{ text: 'Two again' }])
  const { type, log, conversation, draft, commands, yolo } = await open(t, s, id)
  const answered = () => until(() => conversation.mode.value === 'idle')
  const builtIn = commands.filter(({ category }) => ['Session', 'Conversation', 'Configuration', 'Info'].includes(category)).map(({ name }) => name)
  for (const text of ['Hello', 'Again']) {
    t.equal(await type(text), 'sent')
    await answered()
  }
  t.same(shownIn(conversation), ['you: Hello', 'text: One', 'completed', 'you: Again', 'text: Two', 'completed'])
  t.equal(await type('/retry'), 'done')
  await answered()
  t.equal(shownIn(conversation).at(-2), 'text: Two again')
  t.equal(await type('/undo'), 'done')
  t.same(shownIn(conversation), ['you: Hello', 'text: One', 'completed'])
  t.equal(await type('/title A new name'), 'done')
  t.equal((await s.session(id)).title, 'A new name')
  t.equal(await type('/yolo on'), 'done')
  t.equal(yolo.isOn(id), true)
  t.equal(await type('/yolo'), 'done')
  t.equal(yolo.isOn(id), false)
  for (const text of ['/model', '/help', '/new', '/status', '/export json', '/fork The copy', '/clear']) t.equal(await type(text), 'done', text)
  t.same(shownIn(conversation), [])
  t.match(log.slice(-7), ['show model', 'show help', 'show new', 'show usage', 'download json', /^open \w+$/, `say ${words.cleared}`])

  t.equal(await type('/reload-skills'), 'done')
  t.match(log.at(-1), /say \d+ skills?/)
  for (const text of ['/steer', '/steer x', '/stop', '/title', '/yolo perhaps', '/model no such model', '/skills flip x', '/export doc', '/personality nobody', '/undo', '/retry', '/btw']) {
    t.equal(await type(text), 'refused', text)
    t.equal(draft.text.value, text, 'it is in the box again')
    t.match(conversation.notice.value, { code: 'failed', message: /\w{3}/ }, text)
    conversation.tell(null)
  }
  // Every one that the service calls built in is known here: none goes to the agent as a message.
  for (const name of builtIn.filter((one) => !['goal', 'background', 'compress', 'reasoning', 'profile', 'reload-mcp'].includes(one))) {
    const outcome = await type(`/${name}`)
    t.ok(['done', 'refused'].includes(outcome), `/${name}: ${outcome}`)
  }
})

t.test('goals, questions on the side and tasks are begun from the box, also while a turn runs', async (t) => {
  const s = await startChat(t)
  const [goal, side, task] = [gate(), gate(), gate()]
  s.judge([{ text: JSON.stringify({ verdict: 'done', reason: 'It stands.' }) }])
  const id = await sessionWith(s, held(goal, [{ text: 'I begin' }], [{ text: '.' }]), held(side, [{ text: 'Three' }], [{ text: ' piers' }]), held(task, [{ text: 'The report' }], []))
  const { type, conversation, draft, sideQuestions, backgroundTasks, log } = await open(t, s, id)
  t.equal(await type('/goal Build it'), 'done')
  await until(() => conversation.goal.value?.goal.goal === 'Build it' && conversation.mode.value === 'running' && shownIn(conversation).includes('text: I begin'))
  t.equal(await type('/goal Another one'), 'refused')
  t.equal(draft.text.value, '/goal Another one')
  t.equal(await type('/btw How many piers?'), 'done')
  await until(() => sideQuestions.list.value.some(({ exchange }) => exchange.parts.value.length > 0))
  t.equal(await type('/background Write the report'), 'done')
  await until(() => backgroundTasks.list.value.some(({ prompt }) => prompt === 'Write the report'))
  t.equal(await type('/goal pause'), 'done')
  t.equal(conversation.goal.value?.goal.status, 'paused')
  t.match(log.at(-1), /^say /)
  for (const one of [side, task, goal]) one.open()
  await until(() => conversation.mode.value === 'idle')
  t.notMatch(shownIn(conversation).join(), 'piers')
})

t.test('a command for the agent is a message as it was typed, and waits for the turn that runs', async (t) => {
  const s = await startChat(t)
  mkdirSync(join(s.folder, 'home', 'commands'), { recursive: true })
  writeFileSync(join(s.folder, 'home', 'commands', 'greet.md'), 'Greet $ARGUMENTS kindly')
  const wait = gate()
  const model = s.model(held(wait, [{ text: 'Busy' }], [{ text: '.' }]), [{ text: 'Greeted.' }], [{ text: 'Told.' }])
  const { type, conversation } = await open(t, s, await s.newSession({ model, model_provider: 'openai' }))
  t.equal(await type('Work'), 'sent')
  await until(() => shownIn(conversation).includes('text: Busy'))
  t.equal(await type('/greet Ada'), 'queued')
  wait.open()
  await until(() => shownIn(conversation).includes('text: Greeted.'))
  t.match(JSON.stringify(s.requests(model)[1]!.messages.at(-1)), 'Greet Ada kindly')
  await until(() => conversation.mode.value === 'idle')
  t.equal(await type('/no-such thing'), 'sent')
  await until(() => shownIn(conversation).includes('text: Told.'))
  t.match(JSON.stringify(s.requests(model)[2]!.messages.at(-1)), '/no-such thing')
})

t.test('so is a command of a plugin', async (t) => {
  const s = await startChat(t)
  const folder = join(s.folder, 'home', 'plugins', 'acme', 'commands')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'greet.md'), 'Greet $ARGUMENTS as acme does')
  t.match(await s.post('/api/plugins', { name: 'acme', enabled: true }), { status: 200 })
  const model = s.model([{ text: 'Greeted.' }])
  const { type, conversation, commands } = await open(t, s, await s.newSession({ model, model_provider: 'openai' }))
  t.match(commands.find(({ name }) => name === 'acme:greet'), { category: 'Plugin' })
  t.equal(await type('/acme:greet Ada'), 'sent')
  await until(() => shownIn(conversation).includes('text: Greeted.'))
  t.match(JSON.stringify(s.requests(model)[0]!.messages.at(-1)), 'Greet Ada as acme does')
})

t.test('/plan switches plan mode, alone or for the message behind it, and steps back for a command of that name', async (t) => {
  const s = await startChat(t)
  const id = await sessionWith(s, [{ text: 'A plan' }], [{ text: 'Mine' }])
  const { type, log, conversation, draft } = await open(t, s, id)
  const modeOf = async () => (await s.session(id)).mode ?? 'default'
  t.equal(await type('/plan'), 'done')
  t.equal(await modeOf(), 'plan')
  t.equal(await type('/plan'), 'done', 'and off again')
  t.equal(await modeOf(), 'default')
  t.equal(await type('/plan Paint the wall'), 'sent')
  t.equal(await modeOf(), 'plan')
  await until(() => conversation.mode.value === 'idle')
  t.equal(shownIn(conversation)[0], 'you: Paint the wall')
  t.equal(await type('/plan off'), 'done')
  t.equal(await modeOf(), 'default')
  t.equal(draft.text.value, '')
  t.same(log, [`say ${words.planning(true)}`, `say ${words.planning(false)}`, `say ${words.planning(false)}`])

  mkdirSync(join(s.workspace, '.claude/commands'), { recursive: true })
  writeFileSync(join(s.workspace, '.claude/commands/plan.md'), 'Say what you would do.')
  const own = await open(t, s, id)
  t.equal(await own.type('/plan'), 'sent', 'the command of the folder is meant')
  await until(() => own.conversation.mode.value === 'idle')
  t.equal(await modeOf(), 'default')
})
