import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat, type ChatService } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'

const going = [{ text: '{"verdict": "continue", "reason": "There is more."}' }]
const restarting = { status: 503, body: { code: 'restarting', error: /about to restart/ } }

async function job (service: ChatService): Promise<string> {
  return (await service.post('/api/crons/create', { prompt: 'Look around', schedule: 'every 1h', model: service.model([{ text: 'Seen' }]) })).body.job.id
}

const completed = async (service: ChatService): Promise<number> => (await service.get('/api/crons')).body.jobs[0].repeat.completed
const goal = async (service: ChatService, sessionId: string) => (await service.post('/api/goal', { session_id: sessionId, args: 'status' })).body.goal

t.test('while a restart is due no turn begins: what a person begins is refused, what begins by itself waits', async (t) => {
  const service = await startChat(t)
  const { chat } = service.app
  const sessionId = await service.newSession()
  chat.hold()
  for (const [path, body] of [['/api/chat/start', { message: 'Hello' }], ['/api/goal', { args: 'Build it' }], ['/api/btw', { question: 'What?' }], ['/api/background', { prompt: 'Do it' }]] as const) {
    const answer = await service.post(path, { session_id: sessionId, ...body })
    t.match(answer, restarting, path)
    t.match(answer.headers.get('retry-after'), /^\d+$/, path)
  }
  t.match(await service.session(sessionId), { messages: [], active_stream_id: null, title: 'Untitled' }, 'nothing of it was begun')
  t.equal(await goal(service, sessionId), null)
  const id = await job(service)
  t.match((await service.post('/api/crons/run', { job_id: id })).body, { ok: true })
  t.equal(chat.activeTurns() + chat.acceptedTurns(), 0)
  chat.release()
  await eventually('the run that waited', async () => await completed(service) === 1)
  t.ok((await service.turn(sessionId, 'Hello')).events.includes('done'), 'there is no restart after all')
})

t.test('what has waited begins after the restart', async (t) => {
  const folder = temporaryFolder(t, 'quiet')
  mkdirSync(join(folder, 'home'))
  const service = await startChat(t, { folder })
  service.judge(going)
  const sessionId = await service.newSession()
  const { body } = await service.post('/api/goal', { session_id: sessionId, args: 'Build the bridge', model: service.model([{ text: 'Half of it' }], [{ text: 'All of it' }]) })
  const reader = await service.watch(body.stream_id)
  const { data } = await reader.until('goal_continue')
  await reader.ended
  service.app.chat.hold()
  t.match(await service.post('/api/chat/start', { session_id: sessionId, message: data.continuation_prompt }), restarting, 'a client that was told to go on')
  await service.post('/api/crons/run', { job_id: await job(service) })
  await eventually('the goal would go on', () => service.app.goals.size() === 0)
  t.match(await goal(service, sessionId), { status: 'active' })
  t.equal((await service.session(sessionId)).messages.length, 2)
  await service.stop()

  const again = await service.again(t, folder)
  await eventually('the goal is reached', async () => (await goal(again, sessionId))?.status === 'done')
  t.match((await again.session(sessionId)).messages.at(-1).content, 'All of it')
  await eventually('the run', async () => await completed(again) === 1)
})
