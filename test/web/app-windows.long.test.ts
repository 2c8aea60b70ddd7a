import { type BrowserContext, type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { answer, appAddress, settled, visitApp } from '../support/app-page.js'
import { start, type TestService } from '../support/app.js'
import { open, visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'

const words = 150
const counted = Array.from({ length: words }, (_, index) => index + 1).join(' ')

async function begin (t: Test, windows: number, turns: number): Promise<{ service: TestService, pages: Page[], context: BrowserContext, sessions: string[], problems: string[] }> {
  const service = await start(t, { demoWordsPerSecond: 400 })
  const { page: first, problems } = await visit(t, 'about:blank')
  const context = first.context()
  const sessions: string[] = []
  for (let turn = 0; turn < turns; turn++) {
    const id = await service.newSession()
    sessions.push(id)
    await service.send(id, `slow ${words}`)
  }
  const pages: Page[] = []
  for (let window = 0; window < windows; window++) {
    const visitor = await open(await context.newPage(), appAddress(service.url, sessions[window % turns]))
    pages.push(visitor.page)
    problems.push(...visitor.problems)
  }
  return { service, pages, context, sessions, problems }
}

/** Checks that nothing is missing and nothing is duplicated, at any moment. */
async function isBeginning (t: Test, page: Page): Promise<void> {
  const text = (await answer(page).innerText()).split('\n').at(-1)!
  t.ok(counted.startsWith(text.trim()), `what stands there is the beginning of the answer: …${text.slice(-40)}`)
}

async function isWhole (t: Test, page: Page): Promise<void> {
  await answer(page).getByText(counted, { exact: true }).waitFor()
  await settled(page)
  t.equal((await answer(page).innerText()).split('\n').at(-1), counted)
}

withBrowser(() => {
  t.test('four windows follow four turns over one connection', async (t) => {
    const { service, pages, problems } = await begin(t, 4, 4)
    for (const page of pages) await answer(page).getByText('1 2 3').waitFor()
    // The service hears a moment later that the connection before the last window's was closed.
    await eventually('one connection for all', () => service.app.eventStreams.open() <= 1)
    for (const page of pages) await isBeginning(t, page)
    for (const page of pages) await isWhole(t, page)
    for (const page of pages) await page.close()
    await eventually('the last window to give the connection back', () => service.app.eventStreams.open() === 0)
    t.same(problems, [])
  })

  t.test('windows of one session: when one goes or begins anew, the others lose nothing', async (t) => {
    const { pages: [first, ...others], problems } = await begin(t, 3, 1)
    for (const page of [first!, ...others]) await answer(page).getByText('1 2 3').waitFor()
    await first!.close()
    for (const page of others) {
      await answer(page).getByText('20 21 22').waitFor()
      await isBeginning(t, page)
    }
    await others[0]!.reload()
    for (const page of others) await isWhole(t, page)
    t.same(problems, [])
  })

  t.test('what is said in one window is shown in the other, and the answer goes to the chat it belongs to', async (t) => {
    const service = await start(t, { demoWordsPerSecond: 400 })
    const [one, two] = [await service.newSession(), await service.newSession()]
    await service.send(two, 'The other')
    const { page } = await visitApp(t, service.url, one)
    await service.send(one, 'slow 90')
    await answer(page).getByText('1 2 3').waitFor()
    await page.getByRole('link', { name: /The other/ }).click()
    await page.getByRole('banner').getByText('The other').waitFor()
    await settled(page)
    t.equal(await answer(page).getByText('1 2 3').count(), 0)
    await page.goBack()
    await answer(page).getByText('20 21 22').waitFor()
    await settled(page)
    t.match(await answer(page).innerText(), /\b89 90$/)
  })
})
