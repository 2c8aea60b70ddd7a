import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, startChat } from '../support/chat.js'

// Results of tools are not searched: programs wrote them, no one said them, and they are most of a transcript's bytes.

let nowMs = 1_800_000_000_000
const service = await startChat(t, { clock: { now: () => nowMs++ } })

type Hit = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire
const search = async (q: string, more = ''): Promise<Hit[]> => {
  const { status, body } = await service.get(`/api/sessions/search?q=${encodeURIComponent(q)}${more}`)
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.sessions
}
const ids = async (q: string, more = ''): Promise<string[]> => (await search(q, more)).map((hit) => hit.session_id as string)

const nowS = (): number => nowMs++ / 1000

/** Creates a conversation with these messages, the first of them the user's, and returns its id. Later ones are newer. */
async function talk (title: string, ...messages: Array<unknown>): Promise<string> {
  const { body } = await service.post('/api/session/import', {
    title, messages: messages.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content, timestamp: nowS() }))
  })
  return body.session.session_id
}

t.test('titles come before contents, and in each the newest first', async (t) => {
  const inTitle = await talk('Zebras at noon', 'nothing')
  const inContent = await talk('Animals', 'I saw zebras', 'Where?')
  const inBoth = await talk('More zebras', 'zebras again')
  const newest = await talk('Plants', 'no', 'but zebras eat them')
  const found = await search('zebras')
  t.same(found.map((hit) => [hit.session_id, hit.match_type]), [[inBoth, 'title'], [inTitle, 'title'], [newest, 'content'], [inContent, 'content']])
  t.notOk('match_preview' in found[0]!, 'a title needs none')
  t.equal(found[2]!.match_preview, 'but zebras eat them')
  t.match(await service.get('/api/sessions/search?q=%20zebras%20'), { status: 200, body: { query: 'zebras', count: 4, active_profile: 'default' } })
  t.same(await ids('zebras', '&content=0'), [inBoth, inTitle])
  t.same(await ids('zebras', '&content=1'), [inBoth, inTitle, newest, inContent])
  t.equal((await service.get('/api/sessions/search?q=unheard-of')).body.count, 0)
})

t.test('in every script, whatever the case', async (t) => {
  const cases: Array<[what: string, text: string, queries: string[], not?: string[]]> = [
    ['case', 'The Rhinoceros sleeps', ['rhinoceros', 'RHINOCEROS', 'rHiNo', 'The Rhinoceros']],
    ['accents', 'Das Müsli im Café Résumé', ['müsli', 'musli', 'MÜSLI', 'MUSLI', 'cafe resume', 'Café Résumé', 'cafe\u0301'], ['mu\u0308ssli']],
    ['accents that stand apart', 'Un re\u0301sume\u0301 pre\u0302t', ['résumé', 'resume', 'prêt', 're\u0301sume\u0301']],
    ['Vietnamese', 'Tiếng Việt đẹp lắm', ['tiếng việt', 'tieng viet', 'TIẾNG']],
    ['Polish', 'Zażółć gęślą jaźń', ['zażółć', 'gęślą', 'gesla']],
    ['Turkish', 'İstanbul ışığı', ['istanbul', 'ışığı']],
    ['German', 'Die Straße, GROẞ', ['straße', 'groß'], ['strasse x']],
    ['Cyrillic', 'Мой йогурт и ёлка', ['йогурт', 'ЙОГУРТ', 'мой', 'ёлка', 'ёл', 'й']],
    ['Greek', 'Καλημέρα Ελλάδα', ['καλημέρα', 'ΚΑΛΗΜΈΡΑ', 'λλ']],
    ['Japanese', 'ありがとうございます。東京都', ['ありがとう', 'ござ', '東京都', '東京', '京', 'が'], ['かき', 'ありかとう']],
    ['Japanese, marks apart', 'パパが'.normalize('NFD'), ['パパが', 'パパ']],
    ['Korean', '안녕하세요 반갑습니다', ['안녕하세요', '안녕', '안', '갑습'], ['아', '하고', '밥']],
    ['Korean, letters apart', '고맙습니다'.normalize('NFD'), ['고맙습니다', '고맙']],
    ['Chinese', '我喜欢喝茶。', ['喜欢喝', '喜欢', '茶', '。'], ['咖啡']],
    ['emoji', 'Launch 🚀 and 👩‍🚀 flew 🇩🇪', ['🚀', '👩‍🚀', '🚀 and', '🇩🇪'], ['🎉']],
    ['Hebrew', 'שלום עולם טוב', ['שלום', 'עולם טוב', 'של']],
    ['Arabic', 'مرحبا بالعالم', ['مرحبا', 'العالم', 'با']],
    ['Hindi', 'नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ['beyond the basic plane', 'Deseret 𐐀𐐁𐐂 𝒳', ['𐐀𐐁𐐂', '𐐨𐐩𐐪', '𐐀', '𝒳']]
  ]
  for (const [what, text, queries, not = []] of cases) {
    const content = await talk(`Script ${what.length}`, `Before it. ${text}`, 'Yes')
    const title = await talk(text, 'Yes')
    for (const query of queries) {
      const found = new Map((await search(query, '&depth=0')).map((hit) => [hit.session_id, hit.match_type]))
      t.equal(found.get(title), 'title', `${what}: ${query} is found in titles`)
      t.equal(found.get(content), 'content', `${what}: ${query} is found in contents`)
      t.ok((await ids(query)).includes(content), `${what}: ${query} is found in the last messages`)
    }
    for (const query of not) {
      const found = await ids(query, '&depth=0')
      t.notOk(found.includes(title) || found.includes(content), `${what}: ${query} is something else`)
    }
    for (const id of [content, title]) await service.post('/api/session/delete', { session_id: id })
  }
})

t.test('signs mean themselves', async (t) => {
  const texts = [
    'cats AND dogs', 'cats OR dogs', 'NOT today', 'NEAR(cats dogs)', 'NEAR(cats dogs, 5)', 'wild* card', '"quoted words"', 'it\'s "so"', 'a - b -c', '-minus', '^caret', 'col:umn', 'text : x', '{text}: x', '(paren', 'paren)', '100% sure_thing',
    'semi;colon', 'back\\slash', '\'; drop table sessions; --', '?', '$1', '+plus', 'a+b', 'tab\there', 'line\nbreak', '<b>&amp;</b>', '\u0000nul', 'nul \u0000 inside', '*', '""', '"', '"""'
  ]
  const made = new Map<string, string>()
  for (const text of texts) made.set(text, await talk('Signs', 'said: ' + text + ' .'))
  for (const [text, id] of made) {
    const found = await search(text, '&depth=0')
    const wanted = [...made].filter(([other]) => `said: ${other} .`.toLowerCase().includes(text.trim().toLowerCase())).map(([, other]) => other).sort()
    t.same(found.filter((hit) => hit.title === 'Signs').map((hit) => hit.session_id).sort(), wanted, JSON.stringify(text))
    t.ok(wanted.includes(id))
  }
  t.same(await ids('cats dogs'), [made.get('NEAR(cats dogs)'), made.get('NEAR(cats dogs, 5)')].reverse(), 'words are one text, not a list')
  for (const id of made.values()) await service.post('/api/session/delete', { session_id: id })
})

t.test('how far back it looks', async (t) => {
  const id = await talk('Depths', ...Array.from({ length: 12 }, (_, index) => `layer${String(index).padStart(2, '0')} is here`))
  const found = async (layer: number, depth: string) => (await ids(`layer${String(layer).padStart(2, '0')}`, depth)).includes(id)
  const short = async (layer: number, depth: string) => (await ids(String(layer).padStart(2, '0'), depth)).includes(id)
  for (const look of [found, short]) {
    for (const depth of ['', '&depth=', '&depth=five', '&depth=1.5', '&depth=0x1', '&depth=1e3']) {
      t.ok(await look(7, depth), `five messages by ${depth || 'default'}`)
      t.notOk(await look(6, depth))
    }
    t.ok(await look(11, '&depth=1'))
    t.notOk(await look(10, '&depth=1'))
    t.ok(await look(2, '&depth=10'))
    t.notOk(await look(1, '&depth=10'))
    for (const depth of ['&depth=0', '&depth=500', '&depth=99999999999999999999', '&depth=-3', '&depth=%200%20']) t.ok(await look(0, depth), depth)
  }
  t.equal((await service.get('/api/sessions/search?q=layer&depth=1&depth=2')).status, 400, 'one depth at a time')
})

t.test('the preview stands around the hit, on one line', async (t) => {
  const before = 'the beginning of a rather long text '.repeat(20)
  const after = ' and how it goes on for a while'.repeat(20) + ' until the very end of it'
  const id = await talk('Previews', `${before}\n\n  a NEEDLE\tin it  \n${after}`)
  const preview = async (q: string) => (await search(q, '&depth=0')).find((hit) => hit.session_id === id)!.match_preview as string
  const shown = await preview('needle')
  t.match(shown, /^….* a NEEDLE in it .*…$/)
  t.ok(shown.length > 80 && shown.length <= 124, `${shown.length} characters`)
  t.match(await preview('the beginning of a rather'), /^the beginning of a rather.*[^…]…$/)
  t.match(await preview(`${after.slice(-60)}`), /^….*until the very end of it$/)
  const long = (before + before).slice(100, 700).trim()
  t.ok((await preview(long)).length <= 124, 'of a long hit its beginning')
  t.match(await preview(long), new RegExp(`^…?${long.slice(0, 60)}`))

  const emoji = await talk('Emoji', '👩‍🚀🎉'.repeat(100) + 'middle' + '🎉👩‍🚀'.repeat(100))
  const piece = (await search('middle', '&depth=0')).find((hit) => hit.session_id === emoji)!.match_preview as string
  t.ok(piece.includes('middle') && piece.length <= 124)
  t.ok(!/\p{Surrogate}/u.test(piece), 'no character is cut in two')
  const umlauts = await talk('Umlauts', 'a\u0308'.repeat(200) + 'target' + 'ö'.repeat(200))
  t.match((await search('target', '&depth=0')).find((hit) => hit.session_id === umlauts)!.match_preview, /ä+targetö+/, 'the place is right although marks stood apart')
})

t.test('a hit in a long message is found wherever it stands, also across two of the portions that are compared', async (t) => {
  const id = await talk('Long', ...[0, 65_530, 65_536, 131_071, 150_000].map((at, index) => `${'字'.repeat(at)}ÄRGERNIS${index}Ö${'字'.repeat(9_000)}`))
  for (const index of [0, 1, 2, 3, 4]) {
    const [hit] = await search(`argernis${index}o`, '&depth=0')
    t.match(hit, { session_id: id, match_preview: new RegExp(`ÄRGERNIS${index}Ö`) }, `${index}`)
  }
})

t.test('the last of several hits is shown', async (t) => {
  const id = await talk('Several', 'first plover', 'second plover', 'third plover', 'none')
  t.equal((await search('plover')).find((hit) => hit.session_id === id)!.match_preview, 'third plover')
  t.equal((await search('pl')).find((hit) => hit.session_id === id)!.match_preview, 'third plover', 'for short queries as well')
  t.equal((await search('pl', '&depth=0')).find((hit) => hit.session_id === id)!.match_preview, 'third plover')
})

t.test('what is archived is found, and says so; what is hidden is not', async (t) => {
  const id = await talk('Hideout', 'a quetzal', 'yes')
  t.same(await ids('quetzal'), [id])
  await service.post('/api/session/archive', { session_id: id })
  for (const words of ['quetzal', 'hideout', 'qu', '']) t.equal((await search(words)).find((hit) => hit.session_id === id)?.archived, true, words)
  await service.post('/api/session/archive', { session_id: id, archived: false })
  t.same(await ids('quetzal'), [id])

  const hidden = await service.app.sessions.create({ profile: 'default', workspace: service.workspace, hidden: true, title: 'quetzal beside' })
  service.app.db.transaction(() => { service.app.sessions.transcript.append(hidden.id, nowS(), { role: 'user', content: 'a quetzal beside it' }) })
  t.same(await ids('quetzal', '&depth=0'), [id])
  t.same(await ids('zal', '&depth=0'), [id])
})

t.test('sessions of another profile', async (t) => {
  mkdirSync(join(service.folder, 'home', 'profiles', 'work'), { recursive: true })
  const work = await service.app.sessions.create({ profile: 'work', workspace: service.workspace, title: 'Ocelot plans' })
  service.app.db.transaction(() => { service.app.sessions.transcript.append(work.id, nowS(), { role: 'user', content: 'a margay' }) })
  service.app.sessions.changed('test', work.id)
  for (const q of ['ocelot', 'margay', 'ma']) {
    t.notOk((await ids(q)).includes(work.id))
    for (const flag of ['1', 'true', 'YES', 'on']) t.ok((await ids(q, `&all_profiles=${flag}`)).includes(work.id), `${q} ${flag}`)
    t.notOk((await ids(q, '&all_profiles=0')).includes(work.id))
  }
})

t.test('without a query everything is there, in the list\'s order', async (t) => {
  const listed = (await service.get('/api/sessions')).body.sessions
  t.ok(listed.length > 5)
  for (const query of ['', '?q=', '?q=%20%09%0A', '?content=0', '?q=&depth=3']) {
    const { status, body } = await service.get(`/api/sessions/search${query}`)
    t.equal(status, 200)
    t.same(body.sessions, listed, query)
    t.match(body, { query: '', count: listed.length })
    t.notOk(body.sessions.some((row: Hit) => 'match_type' in row))
  }
})

t.test('what was taken out is not found any more', async (t) => {
  const gone = await talk('Deleted', 'a tapir')
  const cut = await talk('Cut', 'a capybara', 'an okapi', 'a tapir')
  t.same(await ids('tapir', '&depth=0'), [cut, gone])
  await service.post('/api/session/delete', { session_id: gone })
  t.same(await ids('tapir', '&depth=0'), [cut])
  await service.post('/api/session/truncate', { session_id: cut, keep_count: 2 })
  t.same(await ids('tapir', '&depth=0'), [])
  t.same(await ids('okapi', '&depth=1'), [cut], 'the last messages are other ones now')
  await service.post('/api/session/undo', { session_id: cut })
  t.same([...await ids('capybara', '&depth=0'), ...await ids('okapi', '&depth=0'), ...await ids('ca', '&depth=0')].filter((id) => id === cut), [])
  await service.turn(cut, 'A pangolin?', service.model([{ text: 'An aardvark.' }]))
  t.same(await ids('aardvark'), [cut])
  await service.post('/api/session/retry', { session_id: cut })
  t.same([...await ids('aardvark'), ...await ids('pangolin')], [])
  await service.turn(cut, 'An axolotl?', service.model([{ text: 'Yes.' }]))
  await service.post('/api/session/clear', { session_id: cut })
  t.same((await ids('axolotl', '&depth=0')).filter((id) => id !== cut), [])
})

t.test('turns, branches, copies and imports are found; titles as they are now', async (t) => {
  writeFileSync(join(service.workspace, 'out-of-the-tool'), '')
  const id = await service.newSession()
  await service.turn(id, 'Tell me of the narwhal', service.model([{ tool: 'list_files', args: {} }], [{ text: 'It has a tusk, and' }, { text: ' lives in the arctic.' }]))
  const { body: { session_id: branch } } = await service.post('/api/session/branch', { session_id: id, keep_count: 1 })
  const { body: { session: { session_id: copy } } } = await service.post('/api/session/duplicate', { session_id: id })
  t.same(new Set(await ids('the narwhal', '&depth=0')), new Set([id, branch, copy]))
  t.same(new Set(await ids('tusk, and lives')), new Set([id, copy]), 'an answer is found as a whole')
  t.same(await ids('out-of-the-tool', '&depth=0'), [], 'what tools gave back is not searched')
  await service.post('/api/session/rename', { session_id: branch, title: 'Unicorn of the sea' })
  t.same(await ids('unicorn'), [branch])

  const imported = await talk('Parts', [{ type: 'text', text: 'the "kakapo"' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAAkakapo' } }, { type: 'text', text: 'cannot fly' }], null)
  const found = await search('kakapo', '&depth=0')
  t.match(found, [{ session_id: imported, match_preview: 'the "kakapo" cannot fly' }])
  t.same((await ids('image_url', '&depth=0')).filter((hit) => hit === imported), [], 'its form is no text')
  t.same((await ids('AAAA', '&depth=0')).filter((hit) => hit === imported), [])
})

t.test('a message is found while its turn runs', async (t) => {
  const open = gate()
  const id = await service.newSession()
  const streamId = await service.send(id, 'Where does the echidna live?', { model: service.model(held(open, [{ text: 'Well' }], [{ text: ', in Australia.' }])) })
  await eventually('the message', async () => (await ids('echidna')).includes(id))
  t.match(await search('echidna'), [{ is_streaming: true, active_stream_id: streamId }])
  open.open()
  await (await service.watch(streamId)).ended
  t.ok((await ids('in australia')).includes(id))
})

t.test('what is masked cannot be found', async (t) => {
  const secret = 'sk-proj-' + 'Xy12Zw34Vu56Ts78Rq90'
  const id = await talk(`Key ${secret} of ours`, `use ${secret} for it`, `I keep ${secret} well`)
  for (const q of [secret, secret.slice(8), 'Zw34', 'sk-proj', 'zw', 'key sk']) t.same((await ids(q, '&depth=0')).filter((hit) => hit === id), [], q)
  const [byTitle] = await search('of ours')
  const [byContent] = (await search('keep', '&depth=0')).filter((hit) => hit.session_id === id)
  t.match(byTitle, { session_id: id, title: 'Key [redacted] of ours' })
  t.match(byContent, { session_id: id, match_preview: 'I keep [redacted] well' })
  t.notOk(JSON.stringify([byTitle, byContent]).includes('Zw34'))
  await service.post('/api/settings', { api_redact_enabled: false })
  t.match((await search('Zw34')).filter((hit) => hit.session_id === id), [{ match_type: 'title' }], 'what is shown can be found')
  t.match((await search(`keep ${secret}`)).filter((hit) => hit.session_id === id), [{ match_type: 'content', match_preview: `I keep ${secret} well` }])
  await service.post('/api/settings', { api_redact_enabled: true })
  t.same((await ids('Zw34', '&depth=0')).filter((hit) => hit === id), [])
})

t.test('limits', async (t) => {
  const q = (text: string) => service.get(`/api/sessions/search?q=${encodeURIComponent(text)}`)
  t.equal((await q('x'.repeat(1_000))).status, 200)
  t.match(await q('x'.repeat(1_001)), { status: 400, body: { error: /q/ } })
  t.equal((await q('🎉'.repeat(1_000))).status, 200, 'counted in characters')
  t.equal((await service.get('/api/sessions/search?q=a&q=b')).status, 400)
  for (const wild of ['%00', '%00%00%00', '%C3%28', '%', '%ED%A0%80']) t.ok((await service.get(`/api/sessions/search?q=${wild}`)).status < 500, wild)
})
