import { type BrowserContext, type Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { start, type TestService } from '../support/app.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'

const words = 150
const counted = Array.from({ length: words }, (_, index) => index + 1).join(' ')
/** What stands on the page of the answer, running or settled. */
const answer = (page: Page) => page.locator('#running .row.assistant .text, #settled .row.assistant .text').last()

async function opened (context: BrowserContext, url: string, problems: string[]): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()) })
  await page.goto(url)
  return page
}

async function begin (t: Test, windows: number, turns: number, init: (context: BrowserContext) => Promise<void> = async () => {}) {
  const service: TestService = await start(t, { demoWordsPerSecond: 150 })
  const { page: first, problems } = await visit(t, 'about:blank')
  const context = first.context()
  await init(context)
  const sessions: string[] = []
  for (let turn = 0; turn < turns; turn++) {
    const id = await service.newSession()
    sessions.push(id)
    await service.send(id, `slow ${words}`)
  }
  const pages: Page[] = []
  for (let window = 0; window < windows; window++) pages.push(await opened(context, `${service.url}/#${sessions[window % turns]}`, problems))
  return { service, pages, sessions, problems }
}

/** Nothing is left out and nothing comes twice, at any moment. */
async function isBeginning (t: Test, page: Page): Promise<void> {
  const text = (await answer(page).innerText()).split('\n').at(-1)!
  t.ok(counted.startsWith(text.trim()), `what stands there is the beginning of the answer: …${text.slice(-40)}`)
}

withBrowser(() => {
  t.test('six windows follow six turns, and can still ask for things', async (t) => {
    const { service, pages, problems } = await begin(t, 6, 6)
    let most = 0
    for (const page of pages) {
      await answer(page).getByText('1 2 3').waitFor()
      most = Math.max(most, service.app.eventStreams.open())
    }
    t.ok(most <= 4, `${most} connections were open at once`)
    for (const page of pages) {
      await isBeginning(t, page)
      t.equal(await page.evaluate('fetch("/api/auth/status").then(({ status }) => status)'), 200)
    }
    for (const page of pages) {
      await page.locator('#settled .row.assistant').last().waitFor()
      t.match(await answer(page).innerText(), new RegExp(`${counted}$`))
    }
    for (const page of pages) await page.close()
    await eventually('the last window to give the connections back', () => service.app.eventStreams.open() === 0)
    t.same(problems, [])
  })

  t.test('windows of one session share its stream; when the one that opened it goes, the others lose nothing', async (t) => {
    const { service, pages: [first, ...others], problems } = await begin(t, 4, 1)
    for (const page of [first!, ...others]) await answer(page).getByText('1 2 3').waitFor()
    t.equal(service.app.eventStreams.open(), 2, 'one for the list and one for the turn')
    await first!.close()
    for (const page of others) {
      await answer(page).getByText('20 21 22').waitFor()
      await isBeginning(t, page)
    }
    await others[0]!.reload()
    for (const page of others) {
      await page.locator('#settled .row.assistant').last().waitFor()
      t.match(await answer(page).innerText(), new RegExp(`${counted}$`))
    }
    t.same(problems, [])
  })

  t.test('where windows cannot share, each has its own', async (t) => {
    const { pages: [page], service, problems } = await begin(t, 1, 1, async (context) => {
      await context.addInitScript(() => { Reflect.deleteProperty(globalThis, 'SharedWorker') })
    })
    await answer(page!).getByText('1 2 3').waitFor()
    t.equal(service.app.eventStreams.open(), 2)
    await page!.locator('#settled .row.assistant').last().waitFor()
    t.match(await answer(page!).innerText(), new RegExp(`${counted}$`))
    t.same(problems, [])
  })

  t.test('the address that other apps use for a session', async (t) => {
    const service = await start(t, { demoWordsPerSecond: 0 })
    const id = await service.newSession()
    await service.post('/api/session/rename', { session_id: id, title: 'Named' })
    const { page, problems } = await visit(t, `${service.url}/session/${id}`)
    await page.locator('#title', { hasText: 'Named' }).waitFor()
    t.equal(new URL(page.url()).pathname + new URL(page.url()).hash, `/#${id}`)
    t.same(problems, [])
  })
})
