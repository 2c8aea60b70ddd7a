import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { start, type TestService } from '../support/app.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { cuttable } from '../support/cuttable.js'
import { answer, appAddress, box, converse, count, live, log, note, say, sent, settled, stop, title, visitApp, wrong } from '../support/app-page.js'

const counted = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ')

withBrowser(() => {
  let s: TestService
  t.before(async () => { s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 200 }) })

  t.test('stop keeps what was written and frees the session', async (t) => {
    const { page, problems } = await visitApp(t, s.url)
    await say(page, 'slow 200')
    await live(page).getByText('5 6 7').waitFor()
    await stop(page).click()
    await settled(page)
    await log(page).getByText('Stopped here').waitFor()
    t.match(await answer(page).innerText(), '5 6 7')
    t.notMatch(await answer(page).innerText(), / 199 /)
    await converse(page, 'slow 3')
    t.match(await answer(page).innerText(), '1 2 3')
    t.same(wrong(problems), [])
  })

  t.test('what a command prints is seen while it runs, after a reload as well, as a terminal would show it; then its result', async (t) => {
    const id = await s.newSession()
    await s.post('/api/session/yolo', { session_id: id, enabled: true })
    const { page, problems } = await visitApp(t, s.url, id)
    const go = join(s.workspace, 'go')
    await say(page, `run for n in $(seq 20); do echo "row $n"; done; printf '\\033[31mwrong\\033[0m\\n10 %%\\r20 %%\\n'; until [ -e ${go} ]; do sleep 0.05; done; echo the end`)
    const output = log(page).getByRole('region', { name: 'Output so far' })
    await output.getByText('20 %').waitFor()
    await output.locator('.term-red', { hasText: 'wrong' }).waitFor()
    const seen = await output.innerText()
    t.notMatch(seen, /10 %|row 1\n/, 'the last lines, and of an overwritten one what stands there')
    t.equal(seen.split('row 20').length, 2)
    await output.getByRole('button', { name: 'All output' }).click()
    await eventually('all rows', async () => /row 1\n/.test(await output.innerText()))
    await page.reload()
    await output.getByText('20 %').waitFor()
    t.equal((await output.innerText()).split('row 20').length, 2, 'nothing twice')
    await log(page).getByText(/^terminal · run|^terminal · for/).click()
    await log(page).locator('.call > summary').click()
    await eventually('all of it in the card', async () => /row 1\n[^]*row 20\nwrong\n20 %/.test(await output.innerText()))
    writeFileSync(go, '')
    await settled(page)
    t.equal(await output.count(), 0)
    t.match(await log(page).getByRole('region', { name: 'Result' }).innerText(), /20 %\nthe end\n\[exit code 0\]/)
    t.same(wrong(problems), [])
  })

  t.test('a menu stays open, in its place, while the answer scrolls by; a turn of the wheel closes it, also over its button', async (t) => {
    const { page } = await visitApp(t, s.url)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await say(page, 'slow 4000')
    await live(page).waitFor()
    const menu = page.getByRole('menu', { name: 'Permissions in this chat' })
    await page.getByRole('button', { name: 'Asks first' }).click()
    const place = await menu.boundingBox()
    const top = (): Promise<number> => log(page).evaluate((element) => element.scrollTop)
    const before = await top()
    await eventually('the answer to scroll', async () => await top() > before + 200)
    t.same(await menu.boundingBox(), place)
    await page.mouse.wheel(0, -40)
    await menu.waitFor({ state: 'detached' })
    await stop(page).click()
    await settled(page)
  })

  t.test('a reload in the middle goes on where it was, nothing twice', async (t) => {
    const { page, problems } = await visitApp(t, s.url)
    await converse(page, 'todo one; two')
    await say(page, 'slow 120')
    await live(page).getByText('9 10 11').waitFor()
    await page.reload()
    await live(page).getByText('19 20 21').waitFor()
    t.equal(await count(page, 'slow 120'), 1)
    t.equal(await count(page, ' 9 10 11'), 1)
    await page.getByText('0 of 2').waitFor()
    await settled(page)
    t.match(await answer(page).innerText(), counted(120))
    t.equal(await count(page, ' 9 10 11'), 1)
    t.same(wrong(problems), [])
  })

  t.test('a lost connection is taken up again, nothing twice and nothing left out; while it is lost, the page says so', async (t) => {
    const way = await cuttable(t, s.url)
    const { page } = await visitApp(t, way.url)
    await say(page, 'slow 60')
    await live(page).getByText('9 10 11').waitFor()
    way.cut()
    await live(page).getByText('29 30 31').waitFor()
    t.ok(counted(60).startsWith((await live(page).innerText()).split('\n').at(-1)!.trim()))
    await settled(page)
    t.match(await answer(page).innerText(), counted(60))

    way.refuse(true)
    way.cut()
    await page.getByText('The service cannot be reached.').waitFor()
    await say(page, 'slow 4')
    await page.getByText('Waiting for the connection').waitFor()
    t.equal(await sent(page).count(), 1, 'nothing is called sent that is not')
    way.refuse(false)
    await page.getByText('The service cannot be reached.').waitFor({ state: 'hidden' })
    await answer(page).getByText(counted(4), { exact: true }).waitFor()
    t.equal(await count(page, 'slow 4'), 1)
  })

  t.test('what was added to a turn that made no use of it returns to the box', async (t) => {
    const { page, problems } = await visitApp(t, s.url)
    await say(page, 'slow 40')
    await live(page).getByText('2 3').waitFor()
    await say(page, 'help')
    await page.locator('.composer-notes').getByText('The agent reads it at the next step').waitFor()
    await settled(page)
    await note(page).getByText('back in the message box').waitFor()
    t.equal(await box(page).inputValue(), 'help')
    t.equal(await sent(page).count(), 1)
    t.same(wrong(problems), [])
  })

  t.test('what is added to a turn stands below the text that grows, in view; Stop gives back what was added in the order in which it was said, and what is queued stays', async (t) => {
    const { page, problems } = await visitApp(t, s.url)
    await say(page, 'slow 900')
    await live(page).getByText('2 3').waitFor()
    await say(page, 'First')
    const added = page.locator('.composer-notes').getByText('First')
    await added.waitFor()
    const edges = async (): Promise<{ end: number, top: number, bottom: number }> => {
      const [text, bubble] = [await live(page).boundingBox(), await added.boundingBox()]
      return { end: (text?.y ?? NaN) + (text?.height ?? NaN), top: bubble?.y ?? NaN, bottom: (bubble?.y ?? NaN) + (bubble?.height ?? NaN) }
    }
    for (const place of ['40', '80', '160']) {
      await live(page).getByText(new RegExp(`\\b${place}\\b`)).waitFor()
      const { end, top, bottom } = await edges()
      t.ok(top >= end - 1, `below the text at ${place}: ${top}, ${end}`)
      t.ok(bottom <= 800, 'in view')
    }
    for (const [text, key] of [['Second', 'Alt+Enter'], ['Third', 'Enter']] as const) {
      await box(page).fill(text)
      await box(page).press(key)
      await page.locator(key === 'Enter' ? '.composer-notes' : '.queue').getByText(text).waitFor()
    }
    await stop(page).click()
    await settled(page)
    await eventually('all of it is in the box', async () => (await box(page).inputValue()).includes('First'))
    t.same((await box(page).inputValue()).split(/\n+/), ['First', 'Third'])
    await page.getByRole('region', { name: 'Queued messages' }).getByText('Second').waitFor()
    t.same(wrong(problems), [])
  })

  t.test('a turn that another device starts shows up here, and so does the end of the session', async (t) => {
    const sessionId = await s.newSession()
    const { page, problems } = await visitApp(t, s.url, sessionId)
    await s.send(sessionId, 'slow 20')
    await live(page).getByText('3 4 5').waitFor()
    await settled(page)
    t.equal(await sent(page).count(), 1)
    t.match(await answer(page).innerText(), counted(20))
    await s.post('/api/session/rename', { session_id: sessionId, title: 'Called <b>so</b> elsewhere' })
    await title(page).getByText('Called <b>so</b> elsewhere', { exact: true }).waitFor()
    await box(page).fill('half a thought')
    await s.post('/api/session/delete', { session_id: sessionId })
    await page.waitForURL(/^[^/]+\/\/[^/]+\/$/)
    t.same(wrong(problems, '404'), [])
  })

  t.test('a page that did not hear of a running turn joins it, and keeps what was typed', async (t) => {
    const sessionId = await s.newSession()
    const { page } = await visit(t, 'about:blank')
    // Such a browser has separate connections for each window, and they can be blocked.
    await page.addInitScript(() => { Reflect.deleteProperty(globalThis, 'SharedWorker') })
    // And a system that does not report that the connection is back.
    await page.addInitScript({ content: "addEventListener('online', (event) => { event.stopImmediatePropagation() })" })
    await page.goto(appAddress(s.url, sessionId))
    await log(page).waitFor()
    await title(page).getByText(/./).waitFor()
    const silent = await s.post('/api/session/rename', { session_id: sessionId, title: 'Ready' })
    t.equal(silent.status, 200)
    await title(page).getByText('Ready').waitFor()
    await page.route(/\/events/, (route) => route.abort())
    await page.context().setOffline(true)
    await page.context().setOffline(false)
    await s.send(sessionId, 'slow 200')
    await say(page, 'help')
    await live(page).getByText('3 4 5').waitFor()
    await settled(page)
    t.match(await answer(page).innerText(), counted(200))
    t.equal(await sent(page).count(), 1)
  })

  t.test('a window that nobody sees: its title tells what goes on; where windows have a connection each, it gives it back', async (t) => {
    await eventually('earlier pages to be gone', () => s.app.eventStreams.open() === 0)
    const show = (page: Page, isShown: boolean): Promise<unknown> => page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, value: '${isShown ? 'visible' : 'hidden'}' }); document.dispatchEvent(new Event('visibilitychange'))`)
    const { page, problems } = await visitApp(t, s.url)
    await show(page, false)
    await say(page, 'slow 20')
    await eventually('a mark in the title', async () => (await page.title()).startsWith('… '))
    await eventually('the mark to go', async () => !(await page.title()).startsWith('…'))
    t.equal(s.app.eventStreams.open(), 1, 'one connection for everything')
    t.same(wrong(problems), [])
    await page.close()

    const { page: alone } = await visit(t, 'about:blank')
    await alone.addInitScript(() => { Reflect.deleteProperty(globalThis, 'SharedWorker') })
    await alone.goto(appAddress(s.url))
    await say(alone, 'slow 60')
    await live(alone).getByText('3 4 5').waitFor()
    await show(alone, false)
    await eventually('the connection to be given back', () => s.app.eventStreams.open() === 0)
    await show(alone, true)
    await settled(alone)
    t.match(await answer(alone).innerText(), counted(60))
    t.equal(await count(alone, counted(60)), 1)
  })
})
