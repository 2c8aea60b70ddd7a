import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { start, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { setup as english } from '../../web/src/words/en/setup.js'
import { setup as chinese } from '../../web/src/words/zh/setup.js'

const [change, question, long, task] = english.tourTurns as [string, string, string, string]

/** Chats with the demo: sends messages, answers approvals, and reads the answers. */
async function talk (t: Test, sessionId?: string) {
  const s = await start(t)
  const id = sessionId ?? await s.newSession()
  return {
    s,
    file: join(s.workspace, 'demo-list.md'),
    say: (message: string) => s.send(id, message),
    approve: (choice: string) => approve(s, id, choice),
    async asked (): Promise<{ clarify_id: string, question: string, choices_offered: string[] }> {
      return await s.pending(id, 'clarify')
    },
    reply: async (response: string) => await s.post('/api/clarify/respond', { session_id: id, response }),
    /** Returns the last answer, once the turn is over. */
    async answer (): Promise<string> {
      await eventually('the end of the turn', async () => (await s.get(`/api/session/status?session_id=${id}`)).body.active_stream_id === null)
      return (await s.session(id)).messages.findLast(({ role }: { role: string }) => role === 'assistant').content
    }
  }
}

/** Answers the next approval, and returns what it showed. */
async function approve (s: TestService, id: string, choice: string) {
  const pending = await s.pending(id)
  await s.respond(id, choice, pending.approval_id)
  await eventually('it to be gone', async () => (await s.get(`/api/approval/pending?session_id=${id}`)).body.pending?.approval_id !== pending.approval_id)
  return pending
}

t.test('the demo makes a file and edits it, each after an approval, and goes on where the list is the next time', async (t) => {
  const { file, say, approve, answer } = await talk(t)
  await say(change)
  t.match(await approve('once'), { description: /demo-list\.md/ })
  await eventually('the file', () => existsSync(file))
  await approve('once')
  t.match(await answer(), /Undo/)
  t.equal(readFileSync(file, 'utf8'), '# Packing list\n\n- [x] Passport\n- [ ] Charger\n- [ ] Rain jacket\n')

  await say(change)
  await approve('once')
  t.match(await answer(), /Undo/)
  t.match(readFileSync(file, 'utf8'), '- [x] Charger')

  await say(change)
  await approve('deny')
  t.match(await answer(), /You denied it, so nothing was written/)
  t.match(readFileSync(file, 'utf8'), '- [ ] Rain jacket')

  writeFileSync(file, 'Something else.\n')
  await say(change)
  await approve('deny')
  await answer()
  t.equal(readFileSync(file, 'utf8'), 'Something else.\n', 'another file of that name is theirs')
})

t.test('the demo asks a question and goes on with the answer', async (t) => {
  const { say, asked, reply, answer } = await talk(t)
  await say(question)
  t.match(await asked(), { question: /backups/, choices_offered: ['7 days', '30 days'] })
  await reply('two weeks')
  t.match(await answer(), '**two weeks**')
})

t.test('the demo writes a long answer with a table, code, math and a list', async (t) => {
  const { s, say, answer } = await talk(t)
  await say(long)
  const said = await answer()
  for (const part of ['| Years |', '```js', '$$S = ', '1. **', '> ']) t.ok(said.includes(part), part)
  t.match(said, /^Fixed rules wrote this reply, not an AI model\./)
  t.match((await s.get('/api/home')).body.finished, [{ excerpt: /^What 100 a month becomes/ }], 'the overview begins with what it is about')
})

t.test('the demo makes a task after an approval, once, and its runs say something', async (t) => {
  const { s, say, approve, answer } = await talk(t)
  await say(task)
  t.match(await approve('once'), { command: /Good morning/ })
  t.match(await answer(), /delete it/)
  const { jobs: [job] } = (await s.get('/api/crons')).body
  t.match(job, { name: 'Good morning', schedule: { expression: String } })
  await say(task)
  t.match(await answer(), /exists already/)
  t.equal((await s.get('/api/crons')).body.jobs.length, 1)

  await s.post('/api/crons/run', { job_id: job.id })
  const { outputs: [output] } = await eventually('its result', async () => {
    const { body } = await s.get(`/api/crons/output?job_id=${job.id}`)
    return body.outputs.length > 0 && body
  })
  t.match(output.content, /One small thing for today/)
})

t.test('the demo says in the language of the message what it can show, and knows every button of the app', async (t) => {
  const { say, asked, approve, reply, answer } = await talk(t)
  await say('What is the meaning of life?')
  t.match(await answer(), /a question that you answer[^]*Show me a question/)
  await say('生命的意义是什么？')
  t.match(await answer(), /^这条回复由固定规则写成[^]*演示一个提问/)

  const [change, question, long, task] = chinese.tourTurns as [string, string, string, string]
  await say(change)
  await approve('session')
  t.match(await answer(), /撤销/)
  await say(question)
  t.match(await asked(), { choices_offered: ['7 天', '30 天'] })
  await reply('30 天')
  t.match(await answer(), '**30 天**')
  await say(long)
  t.match(await answer(), '| 年数 |')
  await say(task)
  await approve('deny')
  t.match(await answer(), /没有新建任务/)
})
