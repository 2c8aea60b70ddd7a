import { existsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { compressionMark } from '../../services/agent/engines/material.js'
import { start, type StartOptions, type TestService } from '../support/app.js'
import { eventually, gate, held, said, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { startModelEndpoint } from '../support/model-endpoint.js'

const program = '/usr/bin/chromium'
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
const password = 'correct horse'
const counted = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ')

/** A browser's view of the service, with everything that went wrong in it. */
interface Visitor { page: Page, problems: string[] }

let browser: Browser

/** A device of its own: no cookie and no connection is shared with another. */
async function visit (t: Test, url: string, { width = 1280 } = {}): Promise<Visitor> {
  const context = await browser.newContext({ viewport: { width, height: 800 } })
  t.teardown(() => context.close())
  return await open(await context.newPage(), url)
}

async function open (page: Page, url: string): Promise<Visitor> {
  page.setDefaultTimeout(15_000)
  const problems: string[] = []
  page.on('console', (message) => { if (message.type() === 'error' || /content security policy/i.test(message.text())) problems.push(message.text()) })
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.goto(url)
  return { page, problems }
}

const service = (t: Test, options: StartOptions = {}): Promise<TestService> => start(t, { hosts: 'inproc', demoWordsPerSecond: 200, ...options })

async function say (page: Page, text: string): Promise<void> {
  await page.fill('#message', text)
  await page.press('#message', 'Enter')
}

const stopButton = (page: Page) => page.getByRole('button', { name: 'Stop', exact: true })
const lastAnswer = (page: Page) => page.locator('#settled .row.assistant .text').last()
const liveText = (page: Page) => page.locator('#running .text:not(.plain)').last()

/** Resolves when the turn that was just started has settled. */
async function settled (page: Page): Promise<void> {
  await page.locator('#running > *').waitFor({ state: 'detached' })
  await stopButton(page).waitFor({ state: 'hidden' })
}

/** Sends a message and waits for the end of its turn. */
async function converse (page: Page, text: string): Promise<void> {
  await say(page, text)
  await page.locator('#settled .row.user', { hasText: text }).last().waitFor()
  await settled(page)
}

const count = async (page: Page, text: string): Promise<number> => (await page.locator('#scroller').innerText()).split(text).length - 1

const verdict = (verdict: string, reason: string): ScriptedAnswer => [{ text: JSON.stringify({ verdict, reason }) }]
const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
const question = (text: string): ScriptedAnswer => [{ tool: 'clarify', args: { question: text } }]
const sessionWith = (s: ChatService, ...answers: ScriptedAnswer[]): Promise<string> => s.newSession({ model: s.model(...answers), model_provider: 'openai' })
const sideCard = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
/** Puts what the page tells a screen reader into `window.told`. */
const listen = (page: Page) => page.evaluate('window.told = []; new MutationObserver(() => told.push(announcer.textContent)).observe(announcer, { childList: true, characterData: true, subtree: true })')
const told = (page: Page) => page.evaluate<string[]>('window.told')
const focused = (page: Page) => page.evaluate<string>('document.activeElement.id || document.activeElement.className')

t.before(async () => {
  if (existsSync(program)) browser = await chromium.launch({ executablePath: program, args: flags })
})
t.teardown(() => browser?.close())

if (!existsSync(program) && process.env.CI !== 'true') t.plan(0, `${program} is missing`)
else cases()

function cases (): void {
  t.test('the page says that it runs, which model answers and how to set a key', async (t) => {
    const s = await service(t)
    const { page, problems } = await visit(t, s.url)
    await page.getByText('Running · built-in demo').waitFor()
    const setup = page.locator('#setup')
    t.match(await setup.innerText(), /No AI model yet/)
    await setup.getByText('How to add a model').click()
    const text = await setup.innerText()
    t.match(text, 'OPENAI_API_KEY')
    t.match(text, join(s.folder, 'home', '.env'))
    t.equal(await page.getByRole('link', { name: 'Interface' }).getAttribute('href'), '/docs')
    t.equal(await page.locator('#sign-out').isVisible(), false, 'without a gate there is nothing to sign out of')
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(problems, [])
  })

  t.test('a name is text on the page, whatever is in it', async (t) => {
    const s = await service(t, { env: { SVC_WEBUI_BOT_NAME: '<b>$& "One"</b>' } })
    const { page } = await visit(t, s.url)
    t.equal(await page.locator('h1').innerText(), '<b>$& "One"</b>')
  })

  t.test('a conversation: live text, then the settled transcript', async (t) => {
    const s = await service(t)
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
    const s = await service(t)
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

  t.test('an approval: asked, allowed, run; other devices and windows see the same card', async (t) => {
    const s = await service(t)
    const { page, problems } = await visit(t, s.url)
    await say(page, 'run echo hi')
    const card = page.getByRole('region', { name: 'Permission needed' })
    await card.waitFor()
    t.equal(await card.locator('pre').innerText(), 'echo hi')
    t.same(await card.getByRole('button').allInnerTexts(), ['Allow once', 'This session', 'Always', 'Deny'])
    await page.locator('#sessions .mark', { hasText: 'Permission needed' }).waitFor()

    const phone = await visit(t, page.url(), { width: 360 })
    const sameBrowser = await open(await page.context().newPage(), page.url())
    await phone.page.locator('.card.approval').waitFor()
    await sameBrowser.page.locator('.card.approval').waitFor()
    t.equal(await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await sameBrowser.page.getByRole('button', { name: 'Allow once' }).click()
    for (const one of [page, phone.page, sameBrowser.page]) {
      await one.locator('.card').waitFor({ state: 'detached' })
      await settled(one)
      const tool = one.locator('#settled details.tool')
      t.equal(await tool.count(), 1)
      await tool.locator('summary').click()
      t.match(await tool.locator('pre').innerText(), /^hi\n/)
    }

    await say(page, 'run echo "unfinished')
    await card.waitFor()
    t.same(await card.getByRole('button').allInnerTexts(), ['Allow once', 'Deny'], 'what cannot be kept is not offered')
    await card.getByRole('button', { name: 'Deny' }).click()
    await settled(page)
    t.match(await page.locator('#settled details.tool summary').last().innerText(), /failed/)
    t.same([...problems, ...phone.problems, ...sameBrowser.problems], [])
  })

  t.test('a question: by choice, and in own words', async (t) => {
    const s = await service(t)
    const { page, problems } = await visit(t, s.url)
    await say(page, 'ask me Tea or coffee? tea | coffee')
    const card = page.getByRole('region', { name: 'Question' })
    await card.getByRole('button', { name: 'coffee' }).click()
    await settled(page)
    t.match(await lastAnswer(page).innerText(), 'The user answered: coffee')

    await say(page, 'ask me what else?')
    await page.reload()
    await card.getByLabel('Your own answer').fill('a <i>biscuit</i>')
    await card.getByLabel('Your own answer').press('Enter')
    await card.waitFor({ state: 'detached' })
    await settled(page)
    t.match(await lastAnswer(page).innerText(), 'The user answered: a <i>biscuit</i>')
    t.same(problems, [])
  })

  t.test('stop keeps what was written and frees the session', async (t) => {
    const s = await service(t)
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
    const s = await service(t)
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
    const s = await service(t)
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
    const s = await service(t)
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
    const s = await service(t)
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
    const s = await service(t)
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
    const s = await service(t)
    const { page, problems } = await visit(t, s.url)
    const show = async (isShown: boolean) => {
      await page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isShown} }); document.dispatchEvent(new Event('visibilitychange'))`)
      await page.waitForTimeout(200)
    }
    await say(page, 'slow 60')
    await liveText(page).getByText('3 4 5').waitFor()
    t.equal(s.app.openEventStreams(), 2)
    await show(false)
    t.equal(s.app.openEventStreams(), 1, 'news of the running turn is still wanted')
    await show(true)
    await settled(page)
    t.match(await lastAnswer(page).innerText(), counted(60))
    await show(false)
    t.equal(s.app.openEventStreams(), 0)
    t.same(problems, [])
  })

  t.test('a long transcript is read back page by page', async (t) => {
    const s = await service(t, { demoWordsPerSecond: 0 })
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

  t.test('sessions: a new one, rename, delete', async (t) => {
    const s = await service(t)
    const { page, problems } = await visit(t, s.url)
    await converse(page, 'slow 1')
    await page.getByRole('button', { name: 'New session' }).click()
    await page.locator('#welcome').waitFor()
    await converse(page, 'slow 2')
    t.equal(await page.locator('#sessions li').count(), 2)
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Title').fill('Second thoughts')
    await page.getByLabel('Title').press('Enter')
    await page.locator('#title', { hasText: 'Second thoughts' }).waitFor()
    await page.locator('#sessions a[aria-current]', { hasText: 'Second thoughts' }).waitFor()
    await page.locator('#heading').getByRole('button', { name: 'Delete' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#heading').getByRole('button', { name: 'Delete' }).click()
    await page.locator('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.locator('#welcome').waitFor()
    await page.locator('#sessions a', { hasText: 'Second thoughts' }).waitFor({ state: 'detached' })
    await page.locator('#sessions a').click()
    t.match(await lastAnswer(page).innerText(), /\b1$/)
    t.same(problems, [])
  })

  t.test('with a password: sign in, converse, sign out', async (t) => {
    const s = await service(t, { env: { SVC_WEBUI_PASSWORD: password } })
    const { page, problems } = await visit(t, s.url)
    t.equal(new URL(page.url()).pathname, '/login')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Running · built-in demo').waitFor()
    await converse(page, 'slow 3')
    t.match(await lastAnswer(page).innerText(), '1 2 3')
    const address = new URL(page.url())

    await page.context().clearCookies()
    await say(page, 'slow 4')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('#title', { hasText: 'slow 3' }).waitFor()
    t.equal(new URL(page.url()).hash, address.hash, 'signing in again leads back to the session')
    t.same(problems.filter((problem) => !problem.includes('401')), [])

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
  })

  t.test('what waits, over all sessions: counted, listed, one click away', async (t) => {
    const s = await startChat(t)
    const first = await sessionWith(s, run('echo one'))
    await s.send(first, 'The <b>first</b>')
    const { page, problems } = await visit(t, s.url)
    const counter = page.locator('#waiting')
    await page.getByRole('button', { name: '1 waiting for you' }).waitFor()
    await listen(page)
    const second = await sessionWith(s, question('Red <i>or</i> blue?'))
    await s.send(second, 'The second')
    await page.getByRole('button', { name: '2 waiting for you' }).waitFor()
    t.same((await told(page)).at(-1), 'Question in The second')
    await page.locator('#sessions .mark', { hasText: 'Permission needed' }).waitFor()
    await page.locator('#sessions .mark', { hasText: 'Question' }).waitFor()

    await counter.focus()
    await page.keyboard.press('Enter')
    const list = page.getByRole('group', { name: 'Waiting for you' })
    const shown = await list.locator('a').allInnerTexts()
    t.equal(shown.length, 2)
    t.match(shown[0], /The <b>first<\/b>\s+Permission needed\s+.*echo one/)
    t.match(shown[1], /The second\s+Question\s+Red <i>or<\/i> blue\?/)
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
    t.equal(await focused(page), 'waiting', 'put away, it gives the focus back')

    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const card = page.getByRole('region', { name: 'Question' })
    await card.waitFor()
    t.equal(await page.locator('#title').innerText(), 'The second')
    await page.waitForFunction('document.activeElement.matches(".card.question")')
    t.equal(await list.isVisible(), false)
    await card.getByLabel('Your own answer').fill('Blue')
    await card.getByLabel('Your own answer').press('Enter')
    await page.getByRole('button', { name: '1 waiting for you' }).waitFor()

    await counter.click()
    await list.locator('a').click()
    await page.getByRole('region', { name: 'Permission needed' }).getByRole('button', { name: 'Deny' }).click()
    await counter.waitFor({ state: 'hidden' })
    t.same(problems, [])
  })

  t.test('a card that will be over: the time counts down quietly; a long command stays inside', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.folder, 'home', 'config.yaml'), 'approvals:\n  timeout: 34\n')
    const long = `echo ${'a-word-that-does-not-break-'.repeat(30)}\n`.repeat(12)
    const sessionId = await sessionWith(s, run(long))
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`, { width: 390 })
    await page.locator('#title', { hasText: 'Untitled' }).waitFor()
    await listen(page)
    await s.send(sessionId, 'Go on')
    const card = page.locator('.card.approval')
    const left = card.locator('.left')
    await left.waitFor()
    t.match(await left.innerText(), /^0:3\d left$/)
    await card.getByText(/^0:2\d left$/).waitFor()
    const box = await card.locator('pre').evaluate((pre) => ({ sideways: pre.scrollWidth - pre.clientWidth, down: pre.scrollHeight - pre.clientHeight }))
    t.equal(box.sideways, 0, 'it wraps')
    t.ok(box.down > 0, 'and scrolls')
    t.equal(await card.evaluate((element) => element.querySelector('.lead')!.getBoundingClientRect().bottom <= element.querySelector('pre')!.getBoundingClientRect().top), true)
    for (const button of await card.getByRole('button').all()) t.equal(await button.evaluate((element) => element.getBoundingClientRect().bottom < element.ownerDocument.documentElement.clientHeight), true)
    const tellings = await told(page)
    t.equal(tellings.filter((text) => /left to answer/.test(text)).length, 1, 'a screen reader is told once')
    t.ok(tellings.length <= 3, tellings.join(' | '))
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(problems, [])
  })

  t.test('commands are hinted at while they are typed; an unknown one is a message', async (t) => {
    const s = await service(t, { demoWordsPerSecond: 0 })
    const { page, problems } = await visit(t, s.url)
    const hints = page.getByRole('listbox', { name: 'Commands' })
    await page.fill('#message', '/')
    t.match(await hints.getByRole('option').allInnerTexts(), [/^\/goal <text>/, /^\/btw <question>/, /^\/background <prompt>/])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    t.match(await hints.locator('[aria-selected=true]').innerText(), '/btw')
    t.equal(await page.locator('#message').getAttribute('aria-activedescendant'), await hints.locator('[aria-selected=true]').getAttribute('id'))
    await page.keyboard.press('Enter')
    t.equal(await page.inputValue('#message'), '/btw ')
    t.equal(await focused(page), 'message')
    await page.keyboard.press('Enter')
    t.match(await page.locator('#note').innerText(), '/btw <question>', 'a question is missing')
    await page.fill('#message', '/goal ')
    t.equal(await hints.getByRole('option').count(), 5)
    await page.keyboard.press('Escape')
    t.equal(await hints.isVisible(), false)
    await page.fill('#message', '/g')
    await page.keyboard.press('Tab')
    t.equal(await page.inputValue('#message'), '/goal ')

    await converse(page, '/nothing of the kind')
    t.equal(await page.locator('#settled .row.user').innerText(), '/nothing of the kind')
    t.equal(await hints.isVisible(), false)
    t.same(problems, [])
  })

  t.test('a goal: set, followed from turn to turn, paused, resumed, cleared', async (t) => {
    const s = await startChat(t)
    const waits = [gate(), gate()]
    s.judge(verdict('continue', 'The railing is missing.'), verdict('continue', 'It is not red.'))
    const sessionId = await sessionWith(s, held(waits[0]!, [{ text: 'I begin' }], [{ text: ', half of it.' }]), held(waits[1]!, [{ text: 'I go on' }], [{ text: ', all of it.' }]))
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`)
    const sent: string[] = []
    page.on('request', (request) => { if (request.url().endsWith('/api/chat/start')) sent.push(request.postData()!) })
    await page.locator('#title', { hasText: 'Untitled' }).waitFor()
    const line = page.getByRole('region', { name: 'Goal' })
    t.equal(await line.isVisible(), false)
    await say(page, '/goal Build <b>it</b>')
    await liveText(page).getByText('I begin').waitFor()
    t.match(await line.innerText(), /Goal\s+Build <b>it<\/b>\s+0 of 20 turns\s+Pause\s+Clear/)
    t.equal(await page.inputValue('#message'), '')
    await say(page, '/goal another one')
    await page.locator('#note', { hasText: 'A turn is running' }).waitFor()
    t.equal(await page.inputValue('#message'), '/goal another one', 'what was not taken stays in the box')
    t.equal(await stopButton(page).isVisible(), true)

    const phone = await visit(t, page.url(), { width: 390 })
    await phone.page.getByRole('region', { name: 'Goal' }).getByText('0 of 20').waitFor()
    t.equal(await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    waits[0]!.open()
    for (const one of [page, phone.page]) {
      await liveText(one).getByText('I go on').waitFor()
      await one.getByRole('region', { name: 'Goal' }).getByText('1 of 20').waitFor()
      t.match(await one.locator('#settled .row.user').last().innerText(), 'The railing is missing.')
    }
    await line.getByRole('button', { name: 'Pause' }).click()
    await line.getByText('Paused', { exact: true }).waitFor()
    t.equal(await line.getByRole('button', { name: 'Resume' }).evaluate((button) => button === button.ownerDocument.activeElement), true, 'the focus stays in the line')
    waits[1]!.open()
    await settled(page)
    await page.reload()
    await line.getByText('Paused', { exact: true }).waitFor()
    await line.getByRole('button', { name: 'Resume' }).click()
    await line.getByText('Goal', { exact: true }).waitFor()
    t.match(await page.locator('#note').innerText(), 'next message')
    await say(page, '/goal status')
    await page.locator('#note', { hasText: 'The goal is active' }).waitFor()
    await say(page, '/goal clear')
    await line.waitFor({ state: 'hidden' })
    t.same(sent, [], 'the service goes on by itself')
    t.same([...problems, ...phone.problems].filter((problem) => !problem.includes('409')), [])
  })

  t.test('a question on the side: beside the conversation, and gone when it is closed', async (t) => {
    const s = await startChat(t)
    const [main, side] = [gate(), gate()]
    const sessionId = await sessionWith(s, held(main, [{ text: 'The bridge' }], [{ text: ' stands.' }]), held(side, [{ text: '**Three** <img src=x>' }], [{ text: ' piers.' }]), held(gate(), [{ text: 'Well' }], []), held(gate(), [{ text: 'Hm' }], []))
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`)
    await page.locator('#title', { hasText: 'Untitled' }).waitFor()
    await say(page, 'Build it')
    await liveText(page).getByText('The bridge').waitFor()
    await say(page, '/btw How many piers?')
    const card = sideCard(page, 'On the side')
    await card.getByText('Three').waitFor()
    t.match(await card.innerText(), 'How many piers?')
    t.equal(await card.locator('strong', { hasText: 'Three' }).count(), 1)
    t.equal(await card.locator('img').count(), 0)
    t.equal(await stopButton(page).isVisible(), true, 'the conversation goes on')
    side.open()
    await card.getByText('piers.').waitFor()
    await card.getByText('Working').waitFor({ state: 'detached' })
    t.equal(await count(page, 'piers'), 0, 'no word of it in the conversation')
    main.open()
    await settled(page)
    t.match(await lastAnswer(page).innerText(), 'The bridge stands.')

    await page.getByRole('button', { name: 'New session' }).click()
    t.equal(await card.isVisible(), false, 'it stands beside its own conversation')
    await page.locator('#sessions a').click()
    await card.waitFor()
    await card.getByRole('button', { name: 'Close' }).click()
    await card.waitFor({ state: 'detached' })
    t.equal(await focused(page), 'message')
    await say(page, '/btw And how long?')
    await card.getByText('Well').waitFor()
    await say(page, '/btw And how wide?')
    await card.getByText('Hm').waitFor()
    await say(page, '/btw And how high?')
    await page.locator('#note', { hasText: 'wait for one of them' }).waitFor()
    t.equal(await page.inputValue('#message'), '/btw And how high?')
    await page.fill('#message', '')
    t.equal(s.app.openEventStreams(), 3, 'connections are left for everything else')
    for (let left = 2; left > 0; left--) await card.first().getByRole('button', { name: 'Close' }).click()
    await eventually('an answer that nobody will see to be stopped', () => s.app.agent.size().runs === 0)
    await page.reload()
    await lastAnswer(page).getByText('The bridge stands.').waitFor()
    t.equal(await card.count(), 0)
    t.same(problems, [])
  })

  t.test('a background task: noted, told when it is done, kept over a reload', async (t) => {
    const s = await startChat(t)
    const wait = gate()
    const sessionId = await sessionWith(s, held(wait, [{ text: 'The **report**' }], [{ text: ' is <b>done</b>.' }]), held(gate(), [{ text: 'Never' }], []))
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`)
    await page.locator('#title', { hasText: 'Untitled' }).waitFor()
    const card = sideCard(page, 'In the background')
    await say(page, '/background Write the report')
    await card.getByText('running').waitFor()
    t.match(await card.innerText(), 'Write the report')
    await page.reload()
    await card.getByText('running').waitFor()
    wait.open()
    await card.getByText('The report is <b>done</b>.').waitFor()
    t.match(await card.innerText(), /finished/)
    t.equal(await page.locator('#settled .row').count(), 0)
    await page.reload()
    await card.getByText('The report is <b>done</b>.').waitFor()
    await card.getByRole('button', { name: 'Close' }).click()
    await card.waitFor({ state: 'detached' })

    await say(page, '/background Something endless')
    await card.getByRole('button', { name: 'Stop' }).click()
    await card.getByText('The task was cancelled.').waitFor()
    await card.getByRole('button', { name: 'Close' }).click()

    await s.post('/api/background', { session_id: sessionId, prompt: 'Asked elsewhere' })
    await eventually('its end', () => s.app.agent.size().runs === 0)
    const other = await visit(t, `${s.url}/#${sessionId}`)
    const found = sideCard(other.page, 'In the background')
    await found.getByText('Done.').waitFor()
    t.match(await found.innerText(), 'Asked elsewhere')
    t.same([...problems, ...other.problems], [])
  })

  t.test('a sub-agent: below its conversation, shown live, without a box to write in', async (t) => {
    const s = await startChat(t)
    const wait = gate()
    const isChild = (request: { tools: string[] }) => !request.tools.includes('delegate')
    const answers = [[{ tool: 'delegate', args: { task: 'Count the <b>files</b>' } }], [{ text: 'There are seven.' }]]
    const model = s.model(...Array.from({ length: 9 }, (): ScriptedAnswer => (request) => isChild(request) ? held(wait, [{ text: 'I am counting' }], [{ text: ', seven.' }]) : answers.shift()!))
    const parent = await s.newSession({ model, model_provider: 'openai' })
    const { page, problems } = await visit(t, s.url)
    await s.send(parent, 'How many files?')
    const fold = page.locator('#sessions').getByRole('button', { name: '1 sub-agent · 1 running' })
    await fold.waitFor()
    const child = page.locator('#sessions ul a')
    t.equal(await child.isVisible(), false, 'folded while its conversation is not open')
    await fold.focus()
    await page.keyboard.press('Enter')
    t.equal(await fold.getAttribute('aria-expanded'), 'true')
    t.match(await child.innerText(), /Count the <b>files<\/b>\s+Running/)
    await child.click()
    await liveText(page).getByText('I am counting').waitFor()
    await page.getByText('This is a sub-agent’s session; it can only be read.').waitFor()
    t.equal(await page.locator('#message').isVisible(), false)
    t.equal(await stopButton(page).isVisible(), false)
    t.equal(await child.isVisible(), true)
    t.equal(await page.locator('#sessions > li').count(), 1)
    wait.open()
    await settled(page)
    t.match(await lastAnswer(page).innerText(), 'I am counting, seven.')
    t.equal(await page.locator('#message').isVisible(), false)

    await page.getByRole('link', { name: 'To its conversation' }).click()
    await lastAnswer(page).getByText('There are seven.').waitFor()
    t.equal(await page.locator('#message').isVisible(), true)
    t.equal(await child.isVisible(), true, 'unfolded with its conversation')
    await page.getByRole('button', { name: 'New session' }).click()
    await child.waitFor({ state: 'hidden' })
    t.same(problems, [])
  })

  t.test('a long conversation: it says that it is being summarised, and up to where', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.folder, 'home', 'config.yaml'), 'model:\n  provider: openai\n  default: small\n  context_length: 4000\n')
    const wait = gate()
    let turns = 0
    s.endpoint.script((request) => {
      if (said(request, 'system').concat(said(request, 'developer')).some((text) => text.startsWith(compressionMark))) return [{ text: 'They **spoke** of <b>bridges</b>.' }]
      if (!request.stream) return [{ text: 'A title' }]
      turns++
      const words = { text: `Answer ${turns}. ${'word '.repeat(300)}` }
      return turns === 6 ? held(wait, [], [words]) : [words, { usage: { input: turns * 400, output: 10 } }]
    })
    const sessionId = await s.newSession()
    for (let turn = 1; turn <= 5; turn++) await s.turn(sessionId, `Question ${turn}`)
    const { page, problems } = await visit(t, `${s.url}/#${sessionId}`)
    await lastAnswer(page).waitFor()
    t.equal(await page.locator('.divider').count(), 0)
    await say(page, 'Question 6')
    await page.locator('#running').getByText(/The earlier part of the conversation was summarised/).waitFor()
    wait.open()
    await settled(page)
    const divider = page.getByRole('note', { name: 'Summary' })
    t.match(await divider.innerText(), 'Earlier messages were summarised for the model')
    const session = await s.session(sessionId)
    const index = session.compression_anchor_visible_idx as number
    const before = divider.locator('xpath=preceding-sibling::*')
    t.equal(await before.count(), index + 1, 'it stands after the last message that only the summary tells of')
    t.match(await before.last().innerText(), session.messages[index].content.slice(0, 9))
    t.equal(await page.getByText('of <b>bridges</b>.').isVisible(), false)
    await divider.locator('summary').click()
    t.equal(await page.getByText('of <b>bridges</b>.').isVisible(), true)
    t.equal(await divider.locator('strong').innerText(), 'spoke')
    await page.reload()
    await divider.waitFor()
    t.equal(await before.count(), index + 1)
    t.same(problems, [])
  })
}
