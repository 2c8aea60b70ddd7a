import t from '#test'
import { start } from '../support/app.js'
import { box, chats, converse, live, log, say, visitApp } from '../support/app-page.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { type Page } from 'playwright-core'

/** Collects a page's requests from now on, except the worker's connection. */
function asked (page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    paths.push(pathname + search)
  })
  return paths
}

const times = (paths: string[], name: string): number => paths.filter((path) => path.split('?')[0] === name).length

/** Records when the app's box appears. */
const watchBox = 'new MutationObserver(() => { if (document.querySelector(".shell:not([data-first]) #message") !== null) window.boxAtMs ??= performance.now() }).observe(document, { childList: true, subtree: true })'

withBrowser(() => {
  t.test('a start needs one document: nothing that it holds is asked for again, in a new chat and in one that there is', async (t) => {
    const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 200 })
    const { page } = await visitApp(t, s.url)
    await converse(page, 'slow 3')
    const { pathname: place } = new URL(page.url())
    const browser = page.context().browser()
    await page.close()
    for (const path of ['/', place]) {
      const context = await browser!.newContext()
      const other = await context.newPage()
      await other.addInitScript(watchBox)
      const paths = asked(other)
      await other.goto(s.url + path)
      await box(other).waitFor()
      await chats(other).getByText('slow 3').waitFor()
      await other.waitForTimeout(1_000)
      t.equal(times(paths, '/api/start'), 1, 'the page has asked for it ahead of the script')
      const before = await other.evaluate<string[]>('performance.getEntriesByType("resource").filter(({ startTime }) => startTime < window.boxAtMs).map(({ name }) => name)')
      if (path === '/') t.ok(before.length <= 3, `besides the page ${before.join(' ')}`)
      for (const name of ['/api/projects', '/api/models', '/api/session', '/api/budgets', '/api/session/yolo', '/api/transcribe/capability']) t.equal(times(paths, name), 0, `${name} at ${path}: ${paths.join(' ')}`)
      t.ok(times(paths, '/api/reasoning') <= 1, `${paths.join(' ')} at ${path}`)
      await context.close()
    }
  })

  t.test('the second visit opens from this device, and asks for its document before its script runs', async (t) => {
    const s = await start(t)
    const id = await s.newSession()
    const { page } = await visitApp(t, s.url)
    await eventually('everything is stored', async () => await page.evaluate('caches.match("/static/app/signed-in").then((found) => found !== undefined)'))
    for (const [path, document] of [['/', '/api/start'], [`/session/${id}`, `/api/start?session_id=${id}`]]) {
      const other = await page.context().newPage()
      const paths = asked(other)
      const text = await (await other.goto(s.url + path))?.text() ?? ''
      await box(other).waitFor()
      t.match(text, /name="csrf-token" content="offline"/, 'the page is not of the service')
      t.ok(text.includes(`href="${document}"`), `the page names ${document}`)
      t.equal(/ src="\/static\/app\/begin-[\w-]{8}\.js"/.test(text), path === '/', 'the script waits for the picture where the page has a box')
      t.equal(text.includes('<div id="app"><div class="shell" data-first>'), path === '/', 'only the home screen has a box of its own')
      t.same(paths.filter((path) => path.startsWith('/api/start')), [document])
      t.equal(/modulepreload" crossorigin href="\/static\/app\/chat-/.test(text), path !== '/', 'a chat has its code loaded early')
      await other.close()
    }
  })

  t.test('the box of the second visit stands beside a folded list of chats from the beginning', async (t) => {
    const s = await start(t)
    const { page } = await visitApp(t, s.url)
    await eventually('everything is stored', async () => await page.evaluate('caches.match("/static/app/signed-in").then((found) => found !== undefined)'))
    const open = async (): Promise<{ text: string, page: Page }> => {
      const other = await page.context().newPage()
      const text = await (await other.goto(s.url))?.text() ?? ''
      await box(other).waitFor()
      return { text, page: other }
    }
    const fold = page.getByRole('button', { name: 'Collapse the list of chats' })
    t.notMatch((await open()).text, /data-rail/)
    await fold.click()
    await eventually('the worker knows', async () => await page.evaluate('caches.match("/static/app/rail-folded").then((found) => found !== undefined)'))
    const folded = await open()
    t.match(folded.text, /<div class="shell" data-first data-rail="folded">/)
    t.equal(await folded.page.evaluate('document.querySelector(".shell").dataset.rail'), 'folded', 'the app leaves it so')
    await page.getByRole('button', { name: 'Expand the list of chats' }).click()
    await eventually('the worker knows', async () => await page.evaluate('caches.match("/static/app/rail-folded").then((found) => found === undefined)'))
    t.notMatch((await open()).text, /data-rail/)
  })

  t.test('the second visit in another language has its words loaded early', async (t) => {
    const s = await start(t)
    const { page } = await visit(t, s.url, { locale: 'de-DE' })
    await eventually('everything is stored', async () => await page.evaluate('caches.match("/static/app/signed-in").then((found) => found !== undefined)'))
    const text = await (await (await page.context().newPage()).goto(s.url))?.text() ?? ''
    t.match(text, /name="csrf-token" content="offline"/, 'the page is not of the service')
    t.same([...text.matchAll(/modulepreload" crossorigin href="\/static\/app\/(words-de-\w+)/g)].map(([, name]) => name), ['words-de-de'])
  })

  t.test('the home screen has a box before the script runs, and what is typed into it stays, with the caret', async (t) => {
    const s = await start(t)
    for (const earlier of ['', 'An earlier draft']) {
      const { page } = await visit(t, 'about:blank')
      if (earlier !== '') await page.addInitScript(`localStorage.setItem('draft-of-new-session', '${JSON.stringify({ text: earlier, files: [] })}')`)
      const script = Promise.withResolvers<void>()
      await page.route(/\/static\/app\/start-.*\.js$/, async (route) => {
        await script.promise
        await route.continue()
      })
      await page.goto(s.url, { waitUntil: 'commit' })
      const first = page.locator('.shell[data-first]').getByRole('textbox', { name: 'Message', exact: true })
      // Before that, its styles may not have arrived: nobody sees it yet.
      await eventually('a first paint', async () => await page.evaluate<boolean>('performance.getEntriesByName("first-contentful-paint").length > 0'))
      await first.pressSequentially('Hello wrld')
      await page.evaluate('window.first = document.activeElement; first.setSelectionRange(7, 7)')
      const place = await first.boundingBox()
      script.resolve()
      await box(page).waitFor()
      t.ok(await page.evaluate('document.activeElement === first && first.isConnected'), 'the app has taken the element, with the focus')
      t.ok(await page.evaluate('first.matches(":lang(en)") && first.closest("[lang]") === document.documentElement'), 'its language is the page\'s')
      t.equal(await page.evaluate('first.autocomplete'), 'off', 'the browser does not fill it with what was in it before')
      if (earlier === '') t.same(await box(page).boundingBox(), place, 'nothing moves')
      await page.keyboard.type('o')
      const text = earlier === '' ? 'Hello world' : `${earlier}\nHello world`
      t.equal(await box(page).inputValue(), text)
      await eventually('a kept draft', async () => await page.evaluate<boolean>(
        `JSON.parse(localStorage.getItem('draft-of-new-session'))?.text === ${JSON.stringify(text)}`
      ))
      await page.keyboard.press('Enter')
      await log(page).getByText('Hello world').first().waitFor()
      await page.close()
    }
  })

  t.test('only the home screen has a box before the script runs', async (t) => {
    const s = await start(t)
    const { page } = await visit(t, 'about:blank')
    const pageAt = async (path: string): Promise<string> => await (await page.request.get(s.url + path)).text()
    t.match(await pageAt('/'), /^<!doctype html>\s*<html lang="en">[^]*<div id="app"><div class="shell" data-first>.*placeholder="Ask anything, or describe a task"/)
    for (const path of ['/new', '/settings', `/session/${await s.newSession()}`]) t.notMatch(await pageAt(path), 'data-first', path)
  })

  t.test('another height of the box changes the style of nothing but toasts', async (t) => {
    const s = await start(t)
    const { page } = await visitApp(t, s.url, await s.newSession())
    const height = async (): Promise<string> => await page.evaluate('document.querySelector(".toasts").style.getPropertyValue("--below")')
    await eventually('a height', async () => Number.parseFloat(await height()) > 0)
    const before = await height()
    await box(page).fill('one\ntwo\nthree\nfour')
    await eventually('another height', async () => await height() !== before)
    t.equal(await page.evaluate('document.documentElement.style.cssText'), '')
    await chats(page).getByRole('link', { name: 'Home' }).click()
    await eventually('no height: the box is far above the edge', async () => await height() === '0px')
  })

  t.test('nothing of an answer is animated while it grows', async (t) => {
    const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 20 })
    const { page } = await visitApp(t, s.url)
    await say(page, 'slow 100')
    await live(page).waitFor()
    t.strictSame(await page.evaluate('document.getAnimations().map(({ animationName, effect }) => [animationName, effect.target.className])'), [])
  })
})
