import t from '#test'
import { rates } from '../../plugins/ground/rate-limit.js'
import { start } from '../support/app.js'

t.test('what everybody may ask for is asked for so often, and no other route with it', async (t) => {
  const service = await start(t)
  const statuses = new Set<number>()
  for (let count = 0; count < rates.public.max; count++) statuses.add((await service.get('/share/none')).status)
  t.same([...statuses], [404])
  const refused = await service.get('/share/none')
  t.match(refused, { status: 429, body: { error: 'Too many requests. Try again in a minute.' } })
  const waitS = Number(refused.headers.get('retry-after'))
  t.ok(waitS > 0 && waitS <= 60, `${waitS} s`)
  t.equal((await service.get('/api/auth/status')).status, 200)
  const sessionId = await service.newSession()
  t.equal((await service.post('/api/session/share', { session_id: sessionId })).status, 200)
})
