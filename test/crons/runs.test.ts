import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually, said, startChat } from '../support/chat.js'
import { type ModelStep } from '../support/model-endpoint.js'

type Json = any // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

const service = await startChat(t)
const home = join(service.folder, 'home')
mkdirSync(join(home, 'skills', 'watching'), { recursive: true })
writeFileSync(join(home, 'skills', 'watching', 'SKILL.md'), '---\nname: watching\ndescription: How to watch\n---\nLook twice.\n')

const call = async (path: string, body: Json): Promise<Json> => (await service.post(`/api/crons/${path}`, body)).body
const create = async (more: Json = {}): Promise<Json> => (await call('create', { prompt: 'Look around', schedule: 'every 1h', ...more })).job
const job = async (id: string): Promise<Json> => (await service.get('/api/crons')).body.jobs.find((job: Json) => job.id === id)
async function ran (id: string, count = 1): Promise<Json> {
  await call('run', { job_id: id })
  return await eventually(`run ${count}`, async () => {
    const now = await job(id)
    return now.repeat.completed === count && now
  })
}
const spend = (input: number, ...steps: ModelStep[]): ModelStep[] => [...steps, { usage: { input, output: 0 } }]

t.test('a job has a budget of its own for each day, and says when it is used up', async (t) => {
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ budgets: { job: { hard_tokens: 100 } } }))
  const model = service.model(spend(150, { text: 'Half' }, { tool: 'todo', args: { todos: [] } }), spend(10, { text: 'Not reached' }))
  const { id } = await create({ model })
  t.match(await ran(id), { last_status: 'error', last_error: /^The budget of this job for today is used up: 150 of 100 tokens\./, failure_streak: 1 })
  t.match(await ran(id, 2), { last_status: 'error', last_error: /^The budget of this job for today is used up/ }, 'also for its next run')
  t.equal(service.requests(model).length, 1)
  const other = await create({ model: service.model([{ text: 'Fine' }]) })
  t.match(await ran(other.id), { last_status: 'ok' }, 'another job has its own')
  writeFileSync(join(home, 'config.yaml'), '{}')
})

t.test('the instructions of its skills are sent with a job', async (t) => {
  const model = service.model([{ text: 'Seen' }])
  const { id } = await create({ model, skills: ['watching', 'gone'], name: 'Watch' })
  t.match((await ran(id)).last_status, 'ok')
  t.match(said(service.requests(model)[0]!, 'user').at(-1), /^\[This is a run[^]*switched off: gone\.[^]*<skill name="watching">[^]*Look twice\.[^]*The user's request:\nLook around$/)
  const { completions } = (await service.get('/api/crons/recent')).body
  const { session } = (await service.get(`/api/session?session_id=${completions.at(-1).session_id}`)).body
  t.match(session.messages[0].content, /^\[This is a run of the scheduled job "Watch"[^]*\n\nLook around$/, 'people see what they have written')
})

t.test('a model that nobody has, and a provider that is not set up, block the job', async (t) => {
  const { id } = await create({ model: 'm', provider: 'no-such-provider' })
  t.match(await ran(id), { last_status: 'blocked_config', last_error: /./, latest_execution: { status: 'blocked_config' }, state: 'scheduled' })
})
