import { existsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { start, type StartOptions, type TestService } from './support/app.js'
import { startModelEndpoint } from './support/model-endpoint.js'

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
}
