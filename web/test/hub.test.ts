import t, { type Test } from '../../test/support/harness.js'
import { Api } from '../src/core/service/api.js'
import { FrameGathering } from '../src/core/service/frame-gathering.js'
import { Hub, type ToWindow, type Wants } from '../src/core/service/hub.js'
import { createLink, type Link } from '../src/core/service/link.js'
import { createPrompts } from '../src/core/conversation/prompts.js'
import { createSessionList } from '../src/core/sessions/session-list.js'
import { start } from '../../test/support/app.js'
import { cuttable } from '../../test/support/cuttable.js'
import { until } from '../../test/support/eventually.js'

/** The windows of one browser: a hub in common. */
function browser (t: Test, url: string): { window: () => Link } {
  const hub = new Hub({ origin: url, retriesMs: [10] })
  const leaves: Array<() => void> = []
  t.teardown(() => { for (const leave of leaves) leave() })
  return {
    window: () => createLink((tell) => {
      const membership = hub.join(tell)
      leaves.push(membership.leave)
      return membership
    })
  }
}

/** What a window draws of the turns of a session, with the numbers of all frames. */
function reader (link: Link, sessionId: string): { text: string, seqs: number[], ended: boolean, news: string[] } {
  const heard = { text: '', seqs: [] as number[], ended: false, news: [] as string[] }
  link.watchSession(sessionId, {
    onTurn (_, seq, frame) {
      heard.seqs.push(seq)
      if (frame.event === 'token') heard.text += frame.data.text
      if (frame.event === 'stream_end') heard.ended = true
    },
    onConversation: (event) => heard.news.push(event)
  })
  return heard
}

const inOrder = (seqs: number[]): boolean => seqs.every((seq, index) => seq === index + 1)
const counted = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ')

t.test('one connection for all windows: each hears a turn once and from its first frame, however late it came', async (t) => {
  const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 300 })
  const sessionId = await s.newSession()
  const { window } = browser(t, s.url)
  const first = reader(window(), sessionId)
  await until(() => first.news.includes('initial'))
  await s.send(sessionId, 'slow 60')
  await until(() => first.text.includes('10 11'))
  const second = reader(window(), sessionId)
  await until(() => second.text.includes('20 21'))
  t.equal(s.app.eventStreams.open(), 1)
  await until(() => first.ended && second.ended)
  for (const heard of [first, second]) {
    t.ok(inOrder(heard.seqs), 'every frame once, in order')
    t.match(heard.text, counted(60))
  }
  // A further turn of the same session comes over the connection that is open.
  await s.send(sessionId, 'slow 3')
  await until(() => first.news.filter((event) => event === 'server_turn_started').length === 2)
})

t.test('whenever a window comes, it is told how everything is, and hears the whole turn', async (t) => {
  const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 300 })
  const sessionId = await s.newSession()
  const { window } = browser(t, s.url)
  const windows: Array<{ snapshots: number, heard: ReturnType<typeof reader> }> = []
  const come = (): void => {
    const link = window()
    const one = { snapshots: 0, heard: reader(link, sessionId) }
    link.onFrame(({ event }) => { if (event === 'snapshot') one.snapshots++ })
    windows.push(one)
  }
  come()
  await until(() => windows[0]!.heard.news.includes('initial'))
  await s.send(sessionId, 'slow 120')
  for (let number = 1; number <= 8; number++) {
    await until(() => windows[0]!.heard.text.includes(` ${number * 10} `))
    come()
  }
  await until(() => windows.every(({ heard }) => heard.ended))
  for (const { snapshots, heard } of windows) {
    t.ok(snapshots > 0)
    t.ok(inOrder(heard.seqs))
    t.match(heard.text, counted(120))
  }
})

t.test('a window that follows a turn which has just ended for another window hears all of it', async (t) => {
  const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 300 })
  const sessionId = await s.newSession()
  const { window } = browser(t, s.url)
  const [first, second] = [window(), window()]
  const streamId = await s.send(sessionId, 'slow 5')
  const follow = (link: Link): { seqs: number[], ended: boolean } => {
    const heard = { seqs: [] as number[], ended: false }
    link.followTurn(streamId, 0, {
      onTurn (_, seq, frame) {
        heard.seqs.push(seq)
        if (frame.event === 'stream_end') heard.ended = true
      }
    })
    return heard
  }
  const early = follow(first)
  await until(() => early.ended)
  const late = follow(second)
  await until(() => late.ended)
  t.ok(inOrder(late.seqs))
  t.same(late.seqs, early.seqs)
})

t.test('a connection that breaks is taken up again: nothing twice, nothing left out', async (t) => {
  const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 300 })
  const sessionId = await s.newSession()
  const proxy = await cuttable(t, s.url)
  const { window } = browser(t, proxy.url)
  const link = window()
  const states: string[] = []
  link.state.subscribe((state) => states.push(state))
  const heard = reader(link, sessionId)
  await until(() => heard.news.includes('initial'))
  await s.send(sessionId, 'slow 80')
  for (const at of ['9 10', '29 30', '59 60']) {
    await until(() => heard.text.includes(at))
    proxy.cut()
  }
  await until(() => heard.ended)
  t.ok(inOrder(heard.seqs))
  t.match(heard.text, counted(80))
  t.ok(states.includes('lost'))
})

t.test('the list follows the service row by row, and pages go on behind it', async (t) => {
  const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 0 })
  const ids: string[] = []
  for (let number = 1; number <= 7; number++) {
    ids.push(await s.newSession())
    const streamId = await s.send(ids.at(-1)!, `help ${number}`)
    await (await s.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)).ended
  }
  const api = new Api({ origin: s.url })
  const link = browser(t, s.url).window()
  const list = createSessionList({ api, link, limit: 3 })
  const titles = (): string[] => list.rows.value.map(({ title }) => title)
  await until(() => list.isKnown.value)
  t.equal(titles().length, 7, 'a snapshot brings up to fifty')
  await s.post('/api/session/rename', { session_id: ids[0], title: 'Renamed' })
  await until(() => titles().includes('Renamed'))
  t.equal(titles().indexOf('Renamed'), 6, 'a new name is no news')
  await s.post('/api/session/delete', { session_id: ids[6] })
  await until(() => titles().length === 6)
  await s.post('/api/settings', { bot_name: 'Ada' })
  t.equal(list.row(ids[0]!)?.title, 'Renamed')
})

t.test('what waits is known for all sessions, and is gone everywhere once it is answered', async (t) => {
  const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 0 })
  const api = new Api({ origin: s.url })
  const [here, there] = [browser(t, s.url), browser(t, s.url)].map(({ window }) => createPrompts({ api, link: window() }))
  const sessionId = await s.newSession()
  await s.send(sessionId, 'ask me Which colour? red|blue')
  await until(() => here!.waiting.value.length === 1 && there!.waiting.value.length === 1)
  const [card] = here!.waiting.value
  if (card?.kind !== 'question') throw new Error('no question')
  t.same(card.prompt.choices_offered, ['red', 'blue'])
  t.equal(await here!.answer(card, { response: 'red' }), 'taken')
  t.same(here!.waiting.value, [])
  await until(() => there!.waiting.value.length === 0)
  t.equal(await there!.answer(card, { response: 'blue' }), 'late')
})

t.test('frames that come together are one message to a window, the first one at once, and a state comes after them', async (t) => {
  const told: string[] = []
  let nowMs = 0
  const frames = new FrameGathering((frames) => told.push(frames.map(({ event }) => event).join(' ')), () => nowMs)
  const add = (...events: string[]): void => { for (const event of events) frames.add({ event, data: null }) }
  add('a', 'b', 'c')
  t.same(told, ['a'])
  await until(() => told.length === 2)
  add('d', 'e')
  frames.flush()
  t.same(told.splice(0), ['a', 'b c', 'd e'], 'in the pause')
  add('f')
  frames.drop()
  nowMs = 16
  add('g', 'h')
  nowMs = 32
  add('i')
  t.same(told, ['g', 'h i'], 'after the pause, also if its timer is late')
})

t.test('a listener that fails keeps no frame from a window', async (t) => {
  const heard: string[] = []
  let tell: (message: ToWindow) => void = () => {}
  const link = createLink((told) => {
    tell = told
    return { want: () => {}, retry: () => {}, leave: () => {} }
  })
  link.onFrame(({ event }) => {
    heard.push(event)
    if (heard.length === 1) throw new Error('It failed')
  })
  const failure = new Promise((resolve) => { process.once('uncaughtException', resolve) })
  tell({ frames: [{ event: 'counts', data: {} }, { event: 'cron', data: {} }] })
  t.same(heard, ['counts', 'cron'])
  t.match(await failure, { message: 'It failed' })
})

t.test('a chat that is left for another is one message to the hub', async (t) => {
  const told: Wants[] = []
  const link = createLink(() => ({ want: (wants) => told.push(wants), retry: () => {}, leave: () => {} }))
  const listener = { onTurn: () => {}, onConversation: () => {} }
  const leave = link.watchSession('first', listener)
  await Promise.resolve()
  leave()
  link.watchSession('second', listener)
  await Promise.resolve()
  t.same(told.map(({ sessions }) => sessions), [['first'], ['second']])
})
