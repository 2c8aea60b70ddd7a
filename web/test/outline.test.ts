import t, { type Test } from '../../test/support/harness.js'
import { type ApiError } from '../src/core/service/api.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { currentEntry, drawnHeading, exchangeWith, readOutline, soughtIn, type OutlineEntry } from '../src/core/conversation/outline.js'
import { unfoldedIn, keepUnfolded } from '../src/core/device/unfolded.js'
import { type TestService } from '../../test/support/app.js'
import { demoService } from '../../test/support/page.js'
import { browserApp, shownIn, soon, until } from './browser-app.js'

/** Questions with short answers; every tenth answer has two headings, always the same. */
async function longChat (t: Test, count: number): Promise<{ s: TestService, id: string }> {
  const s = await demoService(t, { demoWordsPerSecond: 300 })
  const messages = Array.from({ length: count }, (_, index) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: index % 10 === 3 ? '# The same\n\nFirst.\n\n# The same\n\nSecond.\n\n## Below' : `Answer ${index}` }
  ]).flat()
  const { body: { session } } = await s.post('/api/session/import', { messages })
  return { s, id: session.session_id }
}

t.test('a place far up is read back to at once, and what is between is there', async (t) => {
  const { s, id } = await longChat(t, 700)
  const { api, link } = browserApp(t, s.url)
  const conversation = new Conversation({ api, link, sessionId: id, schedule: soon })
  t.teardown(() => conversation.close())
  await until(() => conversation.state.value === 'ready')
  const { transcript } = conversation
  const { entries, truncated } = await readOutline(api, id)
  t.equal(truncated, false)
  t.equal(entries.filter(({ kind }) => kind === 'message').length, 700)
  t.same(soughtIn(entries, '570  QUESTION').map(({ text }) => text), ['Question 570'])

  const wanted = entries.find(({ text }) => text === 'Question 13')!
  t.equal(exchangeWith(transcript.exchanges.value, wanted.index), -1)
  const drawn: number[] = []
  const stop = transcript.exchanges.subscribe((exchanges) => { drawn.push(exchanges.length) })
  const earlier = conversation.readEarlier()
  t.same(await Promise.all([conversation.readBackTo(wanted.index), earlier]), [true, true])
  stop()
  t.ok(drawn.length <= 3, `drawn ${drawn.length} times`)
  t.equal(transcript.exchanges.value[exchangeWith(transcript.exchanges.value, wanted.index)]?.user.value?.text, 'Question 13')
  t.same(shownIn(conversation).filter((line) => line.startsWith('you: ')), Array.from({ length: 687 }, (_, index) => `you: Question ${index + 13}`))
  t.equal(await conversation.readBackTo(0), true)
  t.equal(transcript.hasEarlier.value, false)

  await conversation.send({ text: 'slow 20' })
  t.equal(exchangeWith(transcript.exchanges.value, 1_400), 700, 'what runs has its place')
  await until(() => conversation.mode.value === 'idle')
  t.match((await readOutline(api, id)).entries.at(-1), { index: 1_400, text: 'slow 20' })
  await s.stop()
  t.equal(await readOutline(api, id).catch((error: unknown) => (error as ApiError).status), 0)
})

t.test('where one reads, and which heading is meant, also of two that are called the same', async (t) => {
  const entry = (index: number, text: string, level = 0, source: string | null = null): OutlineEntry => ({ index, text, level, kind: level === 0 ? 'message' : 'heading', source, timestamp: null })
  const entries = [entry(0, 'One'), entry(2, 'Two'), entry(3, 'Same', 1), entry(3, 'Same', 2), entry(4, 'A note', 0, 'steer'), entry(5, 'Long and c…', 1), entry(6, 'Three')]
  const at = (index: number, headings: string[] = []): string | undefined => entries[currentEntry(entries, { index, headings })]?.text
  t.same([at(0), at(2), at(6), at(900)], ['One', 'Two', 'Three', 'Three'])
  t.equal(currentEntry(entries, null), -1)
  t.equal(currentEntry(entries, { index: 2, headings: ['Same'] }), 2)
  t.equal(currentEntry(entries, { index: 2, headings: ['Same', 'Same'] }), 3)
  t.equal(at(2, ['Same', 'Same', 'Long and\n cut']), 'Long and c…')
  const drawn = ['Same', 'Other', 'Same', 'Long and cut']
  t.same([2, 3, 5, 0].map((place) => drawnHeading(drawn, entries[place]!, entries)), [0, 2, 3, -1])
  t.equal(drawnHeading([], entries[2]!, entries), -1)
})

t.test('what was opened in a chat is remembered with it, and not with others', async (t) => {
  const fresh = unfoldedIn(null)
  fresh.add('work')
  keepUnfolded('one', fresh)
  t.equal(unfoldedIn('one'), fresh)
  t.same([...unfoldedIn('two')], [])
  for (let chat = 0; chat < 50; chat++) unfoldedIn(`chat ${chat}`)
  t.same([...unfoldedIn('one')], [], 'only the last chats are')
})
