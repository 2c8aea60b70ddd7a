import t from '#test'
import { start } from '../support/app.js'

const large = 'ä "😀"\n'.repeat(200_000)

t.test('a large body is read like a small one', async (t) => {
  const { post, get } = await start(t)
  const { body: { session } } = await post('/api/session/new', {})
  const save = async (text: string) => await post('/api/session/draft', { session_id: session.session_id, text })
  const kept = async () => (await get(`/api/session/draft?session_id=${session.session_id}`)).body.draft
  t.match(await save(large), { status: 200 })
  t.match(await kept(), { text: large })
  t.match(await save(`${large}\ud83d`), { status: 200 }, 'half a character is mended in a text of a person')
  t.match(await kept(), { text: `${large}\ufffd` })
  t.match(await post('/api/session/rename', { session_id: session.session_id, title: 'x'.repeat(1_500_000) }), { status: 413 })
})
