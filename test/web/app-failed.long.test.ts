import t from '#test'
import { chats, visitApp } from '../support/app-page.js'
import { start } from '../support/app.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat } from '../support/chat.js'

withBrowser(() => {
  t.test('an app whose script does not run says so after a while, in the reader\'s language', async (t) => {
    const s = await start(t)
    const { page } = await visit(t, 'about:blank', { locale: 'fr-FR' })
    await page.route(/\/static\/app\/start-.*\.js$/, async (route) => await route.abort())
    await page.goto(s.url)
    const said = page.getByText('L’app n’a pas démarré.')
    t.notOk(await said.isVisible(), 'not while it may still start')
    await page.evaluate('for (const one of document.getAnimations()) one.finish()')
    await said.waitFor()
    for (const size of [{ width: 1280, height: 800 }, { width: 844, height: 390 }, { width: 667, height: 375 }, { width: 320, height: 568 }]) {
      await page.setViewportSize(size)
      const [note, composer] = [await said.boundingBox(), await page.locator('.composer').boundingBox()]
      if (note === null || composer === null) throw new Error('Not shown')
      t.ok(note.y >= composer.y + composer.height || note.y + note.height <= composer.y, `it is not over the box: ${JSON.stringify([size, note, composer])}`)
      t.ok(note.y >= 0 && note.y + note.height <= size.height, `and within the window: ${JSON.stringify([size, note])}`)
    }
    await page.unroute(/\/static\/app\/start-.*\.js$/)
    await page.getByRole('link', { name: 'Réessayer' }).click()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    t.equal(await said.count(), 0, 'the app takes its place')
  })

  t.test('a page that the service worker keeps says this in the reader\'s language, too', async (t) => {
    const s = await start(t)
    const { page } = await visit(t, s.url, { locale: 'fr-FR' })
    await eventually('a service worker', async () => await page.evaluate('navigator.serviceWorker.controller !== null'))
    let kept = ''
    await eventually('a page from it', async () => {
      kept = await (await page.goto(`${s.url}/new`))?.text() ?? ''
      return kept.includes('content="offline"')
    })
    t.match(kept, /<html lang="fr">[^]*<p class="unstarted">L’app n’a pas démarré\..* <a href="">Réessayer<\/a>/)
    t.match(kept, '<noscript>Cette app a besoin de JavaScript.</noscript>')
    t.notMatch(kept, /\{\{\w+\}\}/, 'every place is filled')
  })

  t.test('parts that nobody waits for leave no gap and no error when they cannot be loaded', async (t) => {
    const s = await startChat(t)
    const model = s.model([{ tool: 'write_file', args: { path: 'a.txt', content: 'one\n' } }], [{ text: 'Written.' }])
    const id = await s.newSession({ model, model_provider: 'openai' })
    await s.post('/api/session/yolo', { session_id: id, enabled: true })
    await s.turn(id, 'Write')
    const { page } = await visit(t, 'about:blank')
    let refused = 0
    await page.route(/\/(?:BranchLink|ChecksChip|CommitTurn)-.*\.js$/, async (route) => {
      refused++
      await route.abort()
    })
    await page.goto(`${s.url}/session/${id}`)
    const card = page.getByRole('region', { name: '1 file changed' })
    await card.getByRole('button', { name: 'Review' }).waitFor()
    await eventually('the files are refused', () => refused >= 3)
    await page.waitForTimeout(200)
    t.equal(await card.getByRole('button', { name: 'Try again' }).count(), 0)
    t.equal(await page.locator('.page-header .skeleton').count(), 0)
  })

  t.test('why a turn failed is said even if the words for it cannot be loaded, and until then that it did', async (t) => {
    const s = await startChat(t)
    const id = await s.newSession()
    await s.turn(id, 'Fail', 'fault-404')
    const { page } = await visit(t, 'about:blank', { locale: 'de-DE' })
    const { promise: loads, resolve: load } = Promise.withResolvers<undefined>()
    await page.route(/\/ProblemText-.*\.js$/, async (route) => { await loads; await route.abort() })
    await page.route(/\/ProblemRow-.*\.js$/, async (route) => await route.abort())
    await page.goto(s.url)
    const line = page.locator('.start-row-line')
    await line.getByText('fehlgeschlagen').waitFor()
    load(undefined)
    await line.getByText(/does not know the model fault-404/).waitFor()
    await page.goto(`${s.url}/session/${id}`)
    await page.locator('.exchange-problem').getByText(/does not know the model fault-404/).waitFor()
  })

  t.test('a screen that fails says so in its place; the others are a click away', async (t) => {
    const s = await start(t)
    const { page } = await visitApp(t, s.url)
    await page.route('**/api/skills*', async (route) => await route.fulfill({ json: { skills: [null] } }))
    await page.getByRole('link', { name: 'Skills' }).click()
    await page.getByRole('alert').getByText('This screen has failed.').waitFor()
    await chats(page).getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('heading', { name: 'Tasks' }).first().waitFor()
    t.equal(await page.getByText('This screen has failed.').count(), 0)
    await page.unroute('**/api/skills*')
    await page.getByRole('link', { name: 'Skills' }).click()
    await page.getByRole('switch').first().waitFor()
  })
})
