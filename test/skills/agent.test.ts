import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { put } from '../support/folder.js'

const service = await startChat(t)
const root = join(service.folder, 'home', 'skills')
const skillText = (name: string, body = `Do ${name}.`): string => `---\nname: ${name}\ndescription: About ${name}\n---\n\n${body}\n`
const call = (tool: string, args: Record<string, unknown>): ScriptedAnswer => [{ tool, args }]

/** Returns what the model was told in the last request of a turn, as one text. */
const told = (model: string): string => JSON.stringify(service.requests(model).at(-1)!.messages)

/** Starts a turn that waits with an approval. */
async function asked (answer: ScriptedAnswer, on: ChatService = service) {
  const sessionId = await on.newSession()
  const model = on.model(answer)
  const streamId = await on.send(sessionId, 'Do it', { model })
  const pending = await on.pending(sessionId)
  return {
    pending,
    async answer (choice: string) {
      const reader = await on.watch(streamId)
      await on.respond(sessionId, choice)
      const { data } = await reader.until('tool_complete')
      await reader.ended
      return { data, model, frames: reader.frames }
    }
  }
}

t.test('the agent is told of the skills that are on, and loads them', async (t) => {
  put(join(root, 'pancakes', 'SKILL.md'), skillText('pancakes'))
  put(join(root, 'pancakes', 'references', 'flour.md'), 'Sifted.')
  await service.post('/api/skills/toggle', { name: 'debugging', enabled: false })
  const model = service.model(call('skill_view', { name: 'pancakes' }), call('skill_view', { name: 'pancakes', file: 'references/flour.md' }),
    [{ tool: 'skill_view', args: { name: 'debugging' }, id: 'a' }, { tool: 'skill_view', args: { name: 'nothing' }, id: 'b' }, { tool: 'skill_view', args: {}, id: 'c' }, { tool: 'skill_view', args: { name: 'pancakes', file: '../../config.yaml' }, id: 'd' }])
  const { frames } = await service.turn(await service.newSession(), 'Hello', model)
  const system = JSON.stringify(service.requests(model)[0]!.messages.filter(({ role }) => role === 'system'))
  t.match(system, '- pancakes: About pancakes')
  t.match(system, '- commit-message: Write a commit message')
  t.notMatch(system, '- debugging')
  const results = frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => data)
  const failed = results.filter(({ is_error: isError }) => isError).map(({ id }) => id).sort()
  t.same([results.length, failed], [6, ['a', 'b', 'd']])
  for (const said of ['Do pancakes.', 'references/flour.md', 'Sifted.', 'switched off', 'Skill not found: nothing', '- write-tests', 'Invalid file path']) t.match(told(model), said)
  t.match((await service.get('/api/skills/usage')).body.usage, { pancakes: { view_count: 1, use_count: 0 } })
  await service.post('/api/skills/toggle', { name: 'debugging', enabled: true })
})

t.test('a question on the side can load skills, and save none', async (t) => {
  const model = service.model([{ text: 'Aside.' }])
  const id = await service.newSession()
  const { body } = await service.post('/api/btw', { session_id: id, question: 'What?', model })
  await (await service.watch(body.stream_id)).ended
  const tools = service.endpoint.requests.filter(({ stream, tools }) => stream && tools.includes('skill_view')).at(-1)!.tools
  t.ok(tools.includes('read_file'))
  t.notOk(tools.includes('skill_save'))
})

t.test('many skills are told of more briefly', async (t) => {
  for (let at = 0; at < 400; at++) put(join(root, 'many', `skill-number-${at}`, 'SKILL.md'), `---\nname: skill-number-${at}\ndescription: ${'Long words. '.repeat(20)}\n---\nx\n`)
  t.equal((await service.app.skills.reload('default')).length, 406)
  const prompt = (await service.app.skills.prompt('default'))!
  t.ok(prompt.length < 9_000)
  t.match(prompt, /and \d+ more \(skill_view without a name lists all\)|skill-number-399/)
  rmSync(join(root, 'many'), { recursive: true })
  await service.app.skills.reload('default')
})

t.test('the agent saves a skill once somebody has seen what becomes of it', async (t) => {
  const made = await asked(call('skill_save', { name: 'Waffles', category: 'kitchen', content: skillText('waffles') }))
  t.match(made.pending, {
    pattern_key: 'write:skills', max_scope: 'once', description: /Save the skill Waffles\. The agent may follow it in later chats/, file: 'skills/kitchen/waffles/SKILL.md', diff: /^--- \/dev\/null[^]*\+Do waffles\.$/m
  })
  const saved = (frames: Array<{ event: string, data: unknown }>): unknown => frames.filter(({ event }) => event === 'state_saved').map(({ data }) => data)
  const created = await made.answer('once')
  t.match(created.data, { is_error: false })
  t.match(saved(created.frames), [{ kind: 'skill', action: 'created', name: 'waffles' }])
  t.equal(readFileSync(join(root, 'kitchen', 'waffles', 'SKILL.md'), 'utf8'), skillText('waffles'))

  const patched = await asked(call('skill_save', { name: 'waffles', old_string: 'Do waffles.', new_string: 'Do them well.' }))
  t.match(patched.pending.diff, /^-Do waffles\.\n\+Do them well\.$/m)
  t.match(saved((await patched.answer('session')).frames), [{ kind: 'skill', action: 'updated', name: 'waffles' }])
  t.match(readFileSync(join(root, 'kitchen', 'waffles', 'SKILL.md'), 'utf8'), 'Do them well.')
  t.match((await service.get('/api/skills/usage')).body.usage.waffles, { patch_count: 2 })

  const denied = await asked(call('skill_save', { name: 'waffles', content: skillText('waffles', 'Other.') }))
  const left = await denied.answer('deny')
  t.match(left.data, { is_error: true })
  t.same(saved(left.frames), [])
  t.match(readFileSync(join(root, 'kitchen', 'waffles', 'SKILL.md'), 'utf8'), 'Do them well.')
})

t.test('a skill that is another one by the time of the yes is left alone', async (t) => {
  put(join(root, 'shared', 'SKILL.md'), skillText('shared'))
  await service.app.skills.reload('default')
  const card = await asked(call('skill_save', { name: 'shared', content: skillText('shared', 'Mine.') }))
  put(join(root, 'shared', 'SKILL.md'), skillText('shared', 'Somebody else\'s.'))
  await service.app.skills.reload('default')
  const { data, model } = await card.answer('once')
  t.match(data, { is_error: true })
  t.match(told(model), 'has changed since the user was shown')
  t.match(readFileSync(join(root, 'shared', 'SKILL.md'), 'utf8'), 'Somebody else')
})

t.test('what differs in more places than can be compared is shown as a whole', async (t) => {
  const lines = (word: string): string => skillText('long', Array.from({ length: 1_200 }, (_, index) => `${word} ${index}`).join('\n'))
  put(join(root, 'long', 'SKILL.md'), lines('Old'))
  await service.app.skills.reload('default')
  const card = await asked(call('skill_save', { name: 'long', content: lines('New') }))
  t.match(card.pending, { diff: /\+New 0\n\+New 1\n/, diff_note: undefined })
  put(join(root, 'long', 'SKILL.md'), lines('Other'))
  t.match((await card.answer('once')).data, { is_error: true })
  t.match(readFileSync(join(root, 'long', 'SKILL.md'), 'utf8'), 'Other 1', 'and is what was shown, or nothing')
})

t.test('nobody is asked about what the agent cannot save; the result says why', async (t) => {
  for (const [args, why] of [
    [{ name: '../x', content: 'x' }, /neither/],
    [{ name: 'shared', category: 'other', content: 'x' }, /already a skill/],
    [{ name: 'shared', old_string: 'not there', new_string: 'x' }, /not found in the skill shared/],
    [{ name: 'code-review', old_string: 'a', new_string: 'b' }, /no skill of their own/],
    [{ name: 'shared', content: 'Plain\u{e0041} text.' }, /cannot be seen/],
    [{ name: 'shared', old_string: 'Somebody', new_string: '\u202eSomebody' }, /cannot be seen/],
    [{ name: 'new', content: 'Plain text.' }, /not a skill by the Agent Skills specification/],
    [{ name: 'shared' }, /Pass content/]
  ] as Array<[Record<string, unknown>, RegExp]>) {
    const model = service.model(call('skill_save', args))
    const { frames } = await service.turn(await service.newSession(), 'Save it', model)
    t.match(frames.find(({ event }) => event === 'tool_complete')?.data, { is_error: true })
    t.match(told(model), why)
  }
})

t.test('nobody is there, or nobody is asked', async (t) => {
  const model = service.model(call('skill_save', { name: 'background', content: skillText('background') }))
  await service.post('/api/background', { session_id: await service.newSession({ model }), prompt: 'Save one' })
  await eventually('the end', () => service.requests(model).length === 2)
  t.match(told(model), 'nobody is there to give it')

  const beside = service.model(call('skill_save', { name: 'beside', content: skillText('beside') }))
  const yolo = await service.newSession({ model: beside })
  await service.post('/api/session/yolo', { session_id: yolo, enabled: true })
  await service.turn(yolo, 'Save one', service.model(call('skill_save', { name: 'unasked', content: skillText('unasked') })))
  t.match((await service.get('/api/skills/content?name=unasked')).body, { success: true }, 'yolo is for the files of the profile, too')

  await service.post('/api/background', { session_id: yolo, prompt: 'Save one' })
  await eventually('the end', () => service.requests(beside).length === 2)
  t.match((await service.get('/api/skills/content?name=beside')).body, { success: false }, 'but not where nobody looks')
})
