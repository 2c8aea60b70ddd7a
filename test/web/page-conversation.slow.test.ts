import { writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { visit, withBrowser } from '../support/browser.js'
import { startModelEndpoint } from '../support/model-endpoint.js'
import { demoService, say, stopButton, lastAnswer, liveText, settled, converse, count, counted } from '../support/page.js'

withBrowser(() => {
  t.test('a conversation: live text, then the settled transcript', async (t) => {
    const s = await demoService(t)
    const { page, problems } = await visit(t, s.url)
    await converse(page, 'list')
    t.match(await lastAnswer(page).innerText(), 'list_files returned')
    const tool = page.locator('#settled details.tool')
    t.match(await tool.locator('summary').innerText(), /done\s+list_files/)
    await tool.locator('summary').click()
    t.match(await tool.locator('pre').innerText(), 'is empty')
    t.match(await page.locator('#sessions a[aria-current]').innerText(), 'list')

    await say(page, 'slow 20')
    await liveText(page).getByText('3 4 5').waitFor()
    t.equal(await stopButton(page).isVisible(), true)
    t.equal(await page.locator('#running section').getAttribute('aria-busy'), 'true')
    await settled(page)
    t.match(await lastAnswer(page).innerText(), counted(20))
    t.equal(await count(page, counted(20)), 1)
    t.equal(await page.locator('#settled .row.user').count(), 2)
    t.same(problems, [])
  })

  t.test('a model: its name, safe Markdown, a retry that replaces what was heard', async (t) => {
    const s = await demoService(t)
    const endpoint = await startModelEndpoint({ models: ['fault-cut-text-once'] })
    t.teardown(() => endpoint.close())
    const setModel = (id: string) => writeFileSync(join(s.folder, 'home', 'config.yaml'), `model:\n  default: ${id}\n  base_url: ${endpoint.url}\n`)
    setModel('fault-cut-text-once')
    endpoint.script(() => [
      { reasoning: 'Let me think.' },
      { text: '# Plan\n\nUse **bold**, `<b>` and [this](https://example.org/a) or [that](javascript:alert(1)).\n\n```js\nlet a = "<img src=x>"\n```\n<img src=x onerror=alert(1)>' }
    ])
    const { page, problems } = await visit(t, s.url)
    await page.locator('#status.fine', { hasText: 'fault-cut-text-once' }).waitFor()
    t.equal(await page.locator('#setup').isVisible(), false)
    await converse(page, 'go <b>on</b>')
    const answer = page.locator('#settled .row.assistant .text:not(.plain)').last()
    t.equal(await count(page, 'breaks off'), 0)
    t.equal(await answer.locator('strong').innerText(), 'bold')
    t.equal(await answer.locator('pre code').innerText(), 'let a = "<img src=x>"')
    t.equal(await answer.locator('a').count(), 1)
    t.equal(await answer.locator('a').getAttribute('rel'), 'noopener noreferrer')
    t.equal(await page.locator('#settled img, #settled b').count(), 0)
    t.match(await page.locator('#settled .row.user').innerText(), 'go <b>on</b>')
    t.equal(await page.getByText('Let me think.').isVisible(), false, 'reasoning is folded')
    await page.getByText('Reasoning', { exact: true }).click()
    t.equal(await page.getByText('Let me think.').isVisible(), true)

    setModel('fault-401')
    const other = await visit(t, s.url)
    await converse(other.page, 'hello')
    t.equal(await other.page.locator('#settled .row.error').count(), 1)
    t.same(problems, [])
  })

  t.test('stop keeps what was written and frees the session', async (t) => {
    const s = await demoService(t)
    const { page, problems } = await visit(t, s.url)
    await say(page, 'slow 200')
    await liveText(page).getByText('5 6 7').waitFor()
    await stopButton(page).click()
    await settled(page)
    await page.getByText('Stopped here').waitFor()
    t.match(await lastAnswer(page).innerText(), '5 6 7')
    t.notMatch(await lastAnswer(page).innerText(), / 199 /)
    await converse(page, 'slow 3')
    t.match(await lastAnswer(page).innerText(), '1 2 3')
    t.same(problems, [])
  })

  t.test('a reload in the middle goes on where it was, nothing twice', async (t) => {
    const s = await demoService(t)
    const { page, problems } = await visit(t, s.url)
    await converse(page, 'todo one; two')
    await say(page, 'slow 100')
    await liveText(page).getByText('9 10 11').waitFor()
    await page.reload()
    await liveText(page).getByText('19 20 21').waitFor()
    t.equal(await count(page, 'slow 100'), 1)
    t.equal(await count(page, ' 9 10 11'), 1)
    t.match(await page.locator('#todos summary').innerText(), '0 of 2')
    await settled(page)
    t.match(await lastAnswer(page).innerText(), counted(100))
    t.equal(await count(page, ' 9 10 11'), 1)
    t.same(problems, [])
  })

  t.test('a lost connection is taken up again, nothing twice and nothing left out', async (t) => {
    const s = await demoService(t)
    const sockets = new Set<Socket>()
    const proxy = createServer((near) => {
      const far = connect(Number(new URL(s.url).port), '127.0.0.1')
      for (const [from, to] of [[near, far], [far, near]] as const) {
        sockets.add(from.on('error', () => to.destroy()).on('close', () => to.destroy()))
        from.pipe(to)
      }
    })
    await new Promise<void>((resolve) => { proxy.listen(0, '127.0.0.1', resolve) })
    const cut = () => { for (const socket of sockets) socket.destroy() }
    t.teardown(() => {
      cut()
      proxy.close()
    })
    const { page } = await visit(t, `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
    await say(page, 'slow 60')
    await liveText(page).getByText('9 10 11').waitFor()
    cut()
    await liveText(page).getByText('29 30 31').waitFor()
    t.match((await liveText(page).innerText()).split('\n').at(-1), /^1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31/)
    await settled(page)
    t.match(await lastAnswer(page).innerText(), counted(60))
    await page.locator('#status.wanting').waitFor()
  })

  t.test('what was added to a turn that made no use of it returns to the box', async (t) => {
    const s = await demoService(t)
    const { page, problems } = await visit(t, s.url)
    await say(page, 'slow 20')
    await liveText(page).getByText('2 3').waitFor()
    await say(page, 'help')
    await page.locator('#running .row.user', { hasText: 'help' }).waitFor()
    await settled(page)
    t.equal(await page.inputValue('#message'), 'help')
    t.match(await page.locator('#note').innerText(), 'back in the box')
    t.equal(await page.locator('#settled .row.user').count(), 1)
    t.same(problems, [])
  })

  t.test('a turn that another device starts shows up here', async (t) => {
    const s = await demoService(t)
    const sessionId = await s.newSession()
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`)
    await page.locator('#title', { hasText: 'Untitled' }).waitFor()
    await s.send(sessionId, 'slow 20')
    await liveText(page).getByText('3 4 5').waitFor()
    await settled(page)
    t.equal(await page.locator('#settled .row.user').count(), 1)
    t.match(await lastAnswer(page).innerText(), counted(20))
    t.same(problems, [])
  })

  t.test('a page that did not hear of a running turn joins it, and keeps what was typed', async (t) => {
    const s = await demoService(t)
    const sessionId = await s.newSession()
    const { page } = await visit(t, 'about:blank')
    // Such a browser has connections of its own for each window, and they can be kept from it.
    await page.addInitScript(() => { Reflect.deleteProperty(globalThis, 'SharedWorker') })
    await page.route('**/api/sessions/events', (route) => route.abort())
    await page.goto(`${s.url}/#${sessionId}`)
    await page.locator('#title', { hasText: 'Untitled' }).waitFor()
    await s.send(sessionId, 'slow 30')
    await say(page, 'help')
    await liveText(page).getByText('3 4 5').waitFor()
    t.equal(await page.inputValue('#message'), 'help')
    t.match(await page.locator('#note').innerText(), 'already running')
    await settled(page)
    t.match(await lastAnswer(page).innerText(), counted(30))
  })

  t.test('a page that nobody sees gives its connections back', async (t) => {
    const s = await demoService(t)
    const { page, problems } = await visit(t, s.url)
    const show = async (isShown: boolean) => {
      await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isShown} }); document.dispatchEvent(new Event('visibilitychange'))`)
      await page.waitForTimeout(200)
    }
    await say(page, 'slow 60')
    await liveText(page).getByText('3 4 5').waitFor()
    t.equal(s.app.eventStreams.open(), 2)
    await show(false)
    t.equal(s.app.eventStreams.open(), 1, 'news of the running turn is still wanted')
    await show(true)
    await settled(page)
    t.match(await lastAnswer(page).innerText(), counted(60))
    await show(false)
    t.equal(s.app.eventStreams.open(), 0)
    t.same(problems, [])
  })

  t.test('a long transcript is read back page by page', async (t) => {
    const s = await demoService(t, { demoWordsPerSecond: 0 })
    const sessionId = await s.newSession()
    for (let turn = 1; turn <= 30; turn++) {
      const streamId = await s.send(sessionId, `slow ${turn}`)
      await (await s.events(`/api/chat/stream?stream_id=${streamId}`)).ended
    }
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`)
    await page.locator('#settled .row.user').first().waitFor()
    t.equal(await page.locator('#settled .row').count(), 50)
    await page.getByRole('button', { name: 'Earlier messages' }).click()
    await page.locator('#settled').getByText('slow 1', { exact: true }).waitFor()
    t.equal(await page.locator('#settled .row').count(), 60)
    t.equal(await page.getByRole('button', { name: 'Earlier messages' }).isVisible(), false)
    t.same(problems, [])
  })
})
