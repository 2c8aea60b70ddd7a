import t from 'tap'
import { eventually, said, startChat } from '../support/chat.js'

type Json = any // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

const service = await startChat(t)
const jobs = async (): Promise<Json[]> => (await service.get('/api/crons')).body.jobs
const create = { action: 'create', name: 'Round', prompt: 'Look around the house', schedule: 'every day at 9am' }

t.test('the agent makes a job once somebody has seen it in words; its result comes into the conversation', async (t) => {
  const id = await service.newSession()
  const model = service.model([{ tool: 'schedule', args: create }], [{ text: 'Made.' }], [{ text: 'You are welcome.' }])
  const streamId = await service.send(id, 'Look around each morning', { model })
  const pending = await eventually('a card', async () => (await service.get(`/api/approval/pending?session_id=${id}`)).body.pending)
  t.match(pending, { max_scope: 'once', description: /Change the scheduled jobs: create · Round · every day at 9am\..*nobody looks/ })
  t.match(JSON.stringify(pending), /every day at 9am \(At 09:00\)[^]*Next: \d{4}-[^]*Look around the house/)
  t.same(await jobs(), [], 'nothing before that')
  const reader = await service.watch(streamId)
  await service.post('/api/approval/respond', { session_id: id, choice: 'once' })
  await reader.ended
  const [job] = await jobs()
  t.match(job, { name: 'Round', deliver: 'origin', origin: { session_id: id }, profile: 'default' })
  await service.post('/api/crons/update', { job_id: job.id, model: service.model([{ text: 'All is quiet.' }]) })
  await service.post('/api/crons/run', { job_id: job.id })
  const last = await eventually('it is told', async () => {
    const { messages } = await service.session(id)
    return /All is quiet/.test(messages.at(-1).content) && messages.at(-1)
  })
  t.match(last, { role: 'assistant', _source: 'cron', content: /^Scheduled job “Round”\n\nAll is quiet\.$/ })
  await service.turn(id, 'Thanks', model)
  t.match(said(service.requests(model).at(-1), 'assistant').at(-1), /All is quiet/, 'the model is shown it')
})

t.test('no run of a job makes or changes jobs, also where it may ask', async (t) => {
  const before = (await jobs()).length
  for (const ask of ['deny', 'wait']) {
    const model = service.model([{ tool: 'schedule', args: create }], [{ text: 'Not done.' }])
    const { job } = (await service.post('/api/crons/create', { prompt: 'Multiply', schedule: '1d', model, ask })).body
    await service.post('/api/crons/run', { job_id: job.id })
    if (ask === 'wait') {
      const open = await eventually('it asks, or was refused', async () => service.app.prompts.allOpen()[0] ?? (service.requests(model).length > 1 ? 'refused' : null)) as Json
      if (open !== 'refused') await service.post('/api/approval/respond', { session_id: open.session_id, choice: 'once' })
    }
    await eventually('it has run', async () => (await jobs()).find((each) => each.id === job.id).repeat.completed === 1)
    t.equal((await jobs()).length, before + 1)
    await service.post('/api/crons/delete', { job_id: job.id })
  }
})
