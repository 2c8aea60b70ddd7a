import t from '#test'
import { start } from '../support/app.js'
import { demoWordsFor } from '../../services/agent/model/demo-words/index.js'
import { pageWords } from '../../services/ground/languages/index.js'
import { languageCodes, languages } from '../../web/src/words/languages.js'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

t.test('an address without a page is a page for a person, and JSON for a program', async (t) => {
  const service = await start(t)
  const page = await service.get('/nothere', browser)
  t.equal(page.status, 404)
  t.match(page.headers.get('content-type'), 'text/html; charset=utf-8')
  t.match(page.text, /<h1>Page not found<\/h1>[^]*<a class="button primary" href="\/" >Go to the start page<\/a>/)
  t.match((await service.get('/nothere', { ...browser, 'accept-language': 'zh-CN' })).text, /lang="zh-CN"[^]*找不到页面/)
  t.notMatch((await service.get('/%3Cscript%3Ealert(1)%3C/script%3E?x=<script>', browser)).text, /<script>/)
  for (const [path, headers] of [['/nothere', {}], ['/api/nothere', browser], ['/v1/nothere', browser], ['/static/nothere.js', browser]] as const) {
    const answer = await service.get(path, headers)
    t.equal(answer.status, 404, path)
    t.match(answer.headers.get('content-type'), /^application\/json/, path)
  }
  t.match((await service.post('/nothere', {}, browser)).headers.get('content-type'), /^application\/json/)
  const shared = await service.get('/share/nobody', browser)
  t.equal(shared.status, 404)
  t.match(shared.headers.get('content-type'), /^text\/html/, 'pages that are gone as well')
  t.match((await service.get('/share/nobody', { ...browser, 'accept-language': 'de-DE' })).text,
    /lang="de"[^]*<p lang="de">Diese Seite gibt es nicht, oder sie wird nicht mehr geteilt\.[^]*href="\/" hidden/, 'in the words of their visitor')
})

t.test('a page that fails says so in the reader\'s language, and can be tried again', async (t) => {
  const service = await start(t)
  service.app.shares.page = () => { throw new Error('a fault') }
  const page = await service.get('/share/nobody', { ...browser, 'accept-language': 'fr' })
  t.equal(page.status, 500)
  t.match(page.text, /<p lang="fr">Le service a rencontré une erreur\.[^]*<a class="button primary" href="" >Réessayer<\/a>/)
})

t.test('pages before the app, and notifications, speak every language of the app and no other', async (t) => {
  t.same(Object.entries(pageWords).map(([code, { tag }]) => [code, tag]), languageCodes.map((code) => [code, languages[code].tag]))
})

t.test('the demo gives its tour in the language of the button that asks for it', async (t) => {
  const notices = new Set<string>()
  for (const code of languageCodes) {
    const { setup: { tourTurns } } = await languages[code].start()
    const kinds = ['change', 'question', 'long', 'task'] as const
    t.equal(tourTurns.length, kinds.length, code)
    for (const [index, kind] of kinds.entries()) {
      const text = tourTurns[index] ?? ''
      const { asks, notice } = demoWordsFor(text)
      t.same(kinds.filter((each) => asks[each].test(text)), [kind], text)
      notices.add(notice)
    }
  }
  t.equal(notices.size, languageCodes.length, 'a language for each')
})
