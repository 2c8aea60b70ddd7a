import { connect, createServer, type Socket } from 'node:net'
import { type Page, type Response } from 'playwright-core'
import t, { type Test } from '#test'
import { listening } from '../support/listening.js'
import { eventually } from '../support/chat.js'
import { start } from '../support/app.js'
import { open, visit, withBrowser } from '../support/browser.js'

/** Starts a connection to the service that can be cut, for pages and workers alike. */
async function wayTo (t: Test, url: string): Promise<{ url: string, cut: () => void, mend: () => void }> {
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((near) => {
    if (!isOpen) return near.destroy()
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => {}).on('close', () => { other.destroy(); sockets.delete(socket) })
    }
  })
  const port = await listening(t, server)
  const cut = (): void => {
    isOpen = false
    for (const socket of sockets) socket.destroy()
  }
  return { url: `http://127.0.0.1:${port}`, cut, mend: () => { isOpen = true } }
}

withBrowser(() => {
  t.test('without a connection the app opens with what was read last, and what is said then is sent once when there is one', async (t) => {
    const service = await start(t)
    const id = await service.newSession()
    await service.post('/api/session/rename', { session_id: id, title: 'A long walk' })
    await service.send(id, 'Where shall we go?')
    await eventually('the answer', async () => (await service.session(id)).active_stream_id === null)
    const way = await wayTo(t, service.url)
    const { page } = await visit(t, `${way.url}/session/${id}`)
    await page.getByText('Where shall we go?').waitFor()
    await eventually('a service worker', async () => await page.evaluate('navigator.serviceWorker.controller !== null'))
    await eventually('a copy of the chat and its answer', async () => await page.evaluate(`new Promise((resolve) => {
      const asked = indexedDB.open('kept', 1)
      asked.onsuccess = () => {
        const read = asked.result.transaction('kept').objectStore('kept').get('session ${id}')
        read.onsuccess = () => { asked.result.close(); resolve(read.result !== undefined) }
      }
    })`))

    way.cut()
    await page.reload()
    await page.getByText('Where shall we go?').waitFor()
    await page.getByRole('link', { name: 'A long walk' }).waitFor()
    await page.getByText('The service cannot be reached').waitFor()
    for (const text of ['To the sea', 'Or to the hills']) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.keyboard.press('Enter')
      await page.getByRole('list', { name: 'Not sent yet' }).getByText(text).waitFor()
    }
    way.mend()
    await page.getByRole('list', { name: 'Not sent yet' }).waitFor({ state: 'detached' })
    const { messages } = await service.session(id)
    t.same((messages as Array<{ role: string, content: string }>).filter(({ role }) => role === 'user').map(({ content }) => content), ['Where shall we go?', 'To the sea', 'Or to the hills'])
  })

  t.test('what could not be loaded without the service says so, and is there once the service is back', async (t) => {
    const service = await start(t)
    const way = await wayTo(t, service.url)
    const { page } = await visit(t, 'about:blank')
    // A worker would have it on this device.
    await page.addInitScript('delete Navigator.prototype.serviceWorker')
    await page.goto(way.url)
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    way.cut()
    await page.getByText('The service cannot be reached').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor()
    way.mend()
    await page.getByRole('combobox', { name: 'Search everything' }).waitFor()
  })

  t.test('while someone is signed in, a window opens from this device at once; a reload and a sign-in ask the service', async (t) => {
    const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
    const { page } = await visit(t, `${service.url}/`)
    const signIn = async (): Promise<void> => {
      await page.getByLabel('Password').fill('correct horse')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('textbox', { name: 'Message' }).waitFor()
    }
    const isFromDevice = async (go: () => Promise<Response | null>): Promise<boolean> => (await (await go())?.text())?.includes('content="offline"') ?? false
    await signIn()
    await eventually('a service worker', async () => await page.evaluate('navigator.serviceWorker.controller !== null'))
    t.notOk(await isFromDevice(async () => await page.reload()), 'a reload')
    await eventually('what the page begins with', async () => await isFromDevice(async () => await page.goto(`${service.url}/new`)))
    await page.getByRole('textbox', { name: 'Message' }).fill('slow 2')
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: 'Answer' }).getByText('1 2').waitFor()

    await page.context().clearCookies()
    // The page goes on to the sign-in by itself, perhaps before it has loaded.
    await page.goto(`${service.url}/`).catch(() => {})
    await page.getByLabel('Password').waitFor()
    t.notOk(await isFromDevice(async () => await page.goto(`${service.url}/new`)), 'the service leads to the sign-in')
    await signIn()
  })

  t.test('what two windows say without a connection arrives once each, in its order, and both say so until then', async (t) => {
    const service = await start(t)
    const id = await service.newSession()
    await service.send(id, 'Where shall we go?')
    await eventually('the answer', async () => (await service.session(id)).active_stream_id === null)
    const way = await wayTo(t, service.url)
    const { page } = await visit(t, `${way.url}/session/${id}`)
    const { page: other } = await open(await page.context().newPage(), `${way.url}/session/${id}`)
    for (const window of [page, other]) await window.getByRole('article', { name: 'You' }).getByText('Where shall we go?').waitFor()
    way.cut()
    for (const window of [page, other]) await window.getByText('The service cannot be reached').waitFor()
    const unsent = (window: Page) => window.getByRole('list', { name: 'Not sent yet' })
    for (const [window, text] of [[page, 'One'], [other, 'Two'], [page, 'Three'], [other, 'Four']] as const) {
      await window.getByRole('textbox', { name: 'Message' }).fill(text)
      await window.keyboard.press('Enter')
      for (const each of [page, other]) await unsent(each).getByText(text, { exact: true }).waitFor()
    }
    for (const window of [page, other]) await window.getByRole('status').filter({ hasText: '4 messages are queued.' }).waitFor()
    way.mend()
    const mendedMs = Date.now()
    for (const window of [page, other]) await unsent(window).waitFor({ state: 'detached' })
    t.comment(`sent ${Date.now() - mendedMs} ms after the line was back`)
    for (const window of [page, other]) await window.getByText('The service cannot be reached').waitFor({ state: 'detached' })
    const { messages } = await service.session(id)
    t.same((messages as Array<{ role: string, content: string }>).filter(({ role }) => role === 'user').map(({ content }) => content), ['Where shall we go?', 'One', 'Two', 'Three', 'Four'])
  })

  t.test('what another app shares is in the box of a new chat, also when the service was away by then', async (t) => {
    const service = await start(t)
    const way = await wayTo(t, service.url)
    const { page } = await visit(t, `${way.url}/`)
    await eventually('a service worker', async () => await page.evaluate('navigator.serviceWorker.controller !== null'))
    /** Posts like the system does, from a page that the worker controls. */
    const share = async (text: string, names: readonly string[]): Promise<void> => {
      await page.evaluate(`(() => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action: '/take-shared', enctype: 'multipart/form-data' })
        const files = new DataTransfer()
        for (const name of ${JSON.stringify(names)}) files.items.add(new File(['of ' + name], name, { type: 'text/plain' }))
        const inputs = [['text', 'text', ${JSON.stringify(text)}], ['files', 'file', null]].map(([name, type, value]) => Object.assign(document.createElement('input'), { name, type, multiple: true, ...(value === null ? {} : { value }) }))
        inputs[1].files = files.files
        form.append(...inputs)
        document.body.append(form)
        form.submit()
      })()`)
    }
    await share('Sum these up', ['notes.txt', 'plan.txt'])
    // In a tab, another site might have sent it.
    await page.getByText('You shared something').waitFor()
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    for (const name of ['notes.txt', 'plan.txt']) await page.getByText(name, { exact: true }).waitFor()
    t.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'Sum these up')
    await page.waitForURL(/\/session\//)
    await page.getByRole('button', { name: 'Send' }).click()
    const sent = async (id: string, text: string) => ((await service.session(id)).messages as Array<{ content: string, attachments?: Array<{ name: string }> }>).find(({ content }) => content.startsWith(text))
    const id = new URL(page.url()).pathname.split('/').at(-1)!
    await eventually('the message', async () => (await sent(id, 'Sum these up')) !== undefined)
    t.match((await sent(id, 'Sum these up'))?.attachments?.map(({ name }) => name), ['notes.txt', 'plan.txt'])

    way.cut()
    await share('And this', ['late.txt'])
    await page.getByRole('button', { name: 'Open', exact: true }).click()
    await page.getByText('saved on this device').waitFor()
    t.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), 'And this')
    way.mend()
    await page.getByText('late.txt', { exact: true }).waitFor()
    await page.waitForURL(/\/session\//)
  })

  t.test('Back closes what lies on top, and leaves the page where it is', async (t) => {
    const service = await start(t)
    const { page, problems } = await visit(t, `${service.url}/inbox`)
    await page.getByRole('heading', { name: 'Waiting for you' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search everything' }).fill('shortc')
    await page.keyboard.press('Enter')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.waitFor()
    await page.goBack()
    await keys.waitFor({ state: 'detached' })
    t.equal(new URL(page.url()).pathname, '/inbox')
    t.same(problems, [])
  })

  t.test('six windows share one connection', async (t) => {
    const service = await start(t)
    const { page } = await visit(t, `${service.url}/`)
    for (let count = 1; count < 6; count++) await open(await page.context().newPage(), `${service.url}/`)
    await Promise.all(page.context().pages().map(async (window) => await window.getByText('No chats yet. Send a message to start one.').waitFor()))
    await eventually('one connection', () => service.app.eventStreams.open() === 1)
    t.pass('all of them are told over it')
  })
})
