import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat, type ChatService } from '../support/chat.js'
import { demoService, question, run, sessionWith } from '../support/page.js'

const inbox = (url: string): string => `${url}/inbox`
const approvals = (page: Page) => page.getByRole('region', { name: 'Approval needed' })
const questions = (page: Page) => page.getByRole('region', { name: 'Question' })

/** Resolves to the last answer of a session, once its turn has ended. */
async function ended (s: { session: ChatService['session'] }, sessionId: string): Promise<string> {
  for (;;) {
    const session = await s.session(sessionId)
    if (session.active_stream_id === null) return JSON.stringify(session.messages.at(-1))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

withBrowser(() => {
  t.test('an approval: it says what it decides, and answered in one window it is gone in all', async (t) => {
    const s = await demoService(t)
    const { page, problems } = await visit(t, inbox(s.url))
    const phone = await visit(t, inbox(s.url), { width: 360 })
    const other = await visit(t, inbox(s.url))
    const first = await s.newSession()
    await s.send(first, 'run echo hi')
    for (const one of [page, phone.page, other.page]) await approvals(one).waitFor()
    const card = approvals(page)
    t.equal(await card.locator('pre').innerText(), 'echo hi')
    t.same((await card.locator('.prompt-buttons').getByRole('button').allInnerTexts()).map((text) => text.split('\n')[0]!.replace(/ ?(?:↵|Esc)$/, '')), ['Allow once', 'Allow in this chat', 'Deny', 'Always…'])
    const [what, buttons] = await Promise.all([card.locator('.prompt-what').boundingBox(), card.locator('.prompt-buttons').boundingBox()])
    t.ok(what!.y + what!.height <= buttons!.y + 1, 'what is decided stands above the buttons')
    t.equal(await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)

    await card.getByRole('button', { name: 'Always…' }).click()
    await card.getByText('run echo with any arguments').waitFor()
    t.match(await card.getByRole('button').allInnerTexts(), ['Back', 'Always allow'], 'the rule first')
    await card.getByRole('button', { name: 'Back' }).click()
    await approvals(other.page).getByRole('button', { name: 'Allow once' }).click()
    for (const one of [page, phone.page, other.page]) await one.locator('[data-prompt]').waitFor({ state: 'detached' })
    t.match(await ended(s, first), /hi/)

    await s.send(first, 'run echo "unfinished')
    await card.waitFor()
    t.equal(await card.getByRole('button', { name: 'Always…' }).count(), 0, 'what cannot be kept is not offered')
    t.equal(await card.getByRole('button', { name: 'Allow in this chat' }).count(), 0)
    await card.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('Nothing is waiting for you').waitFor()
    t.same([...problems, ...phone.problems, ...other.problems], [])
  })

  t.test('by keyboard: from card to card, and a key that is held allows nothing more', async (t) => {
    const s = await startChat(t)
    const [first, second, third] = [await sessionWith(s, run('echo one')), await sessionWith(s, run('echo two')), await sessionWith(s, question('Red <i>or</i> blue?'))]
    for (const [at, id] of [first, second, third].entries()) {
      await s.send(id, `The <b>chat</b> ${at + 1}`)
      // They are listed in the order of their arrival.
      while ((await s.get('/api/prompts')).body.prompts.length <= at) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const { page, problems } = await visit(t, inbox(s.url))
    const cards = page.locator('[data-prompt]')
    await cards.nth(2).waitFor()
    t.same(await cards.locator('.inbox-chat').allInnerTexts(), ['The <b>chat</b> 1', 'The <b>chat</b> 2', 'The <b>chat</b> 3'])
    await page.locator('.inbox-chat').first().focus()
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const firstId = await cards.first().getAttribute('data-prompt')
    const secondId = await cards.nth(1).getAttribute('data-prompt')
    await page.locator(`[data-prompt="${firstId}"] .prompt-once:enabled`).waitFor()
    // How long a card that has just got the focus waits.
    await page.waitForTimeout(300)
    await page.keyboard.down('Enter')
    await page.locator(`[data-prompt="${firstId}"]`).waitFor({ state: 'detached' })
    for (let held = 0; held < 10; held++) await page.keyboard.down('Enter')
    await eventually('the focus on the prompt', async () => await page.evaluate<boolean>(`document.activeElement.dataset.prompt === '${secondId}'`))
    for (let held = 0; held < 10; held++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    t.equal((await s.get('/api/prompts')).body.prompts.length, 2)
    await page.waitForTimeout(300)
    await page.keyboard.press('Escape')
    await page.locator(`[data-prompt="${secondId}"]`).waitFor({ state: 'detached' })
    await eventually('the focus on the question', async () => await page.evaluate<boolean>('document.activeElement.classList.contains("prompt-question")'))
    await page.keyboard.press('Enter')
    await page.keyboard.type('Blue <i>')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing is waiting for you').waitFor()
    t.match(await ended(s, third), /Done/)
    t.same(problems, [])
  })

  t.test('a question: by choice; an answer that does not arrive stays, and is sent again', async (t) => {
    const s = await demoService(t)
    const { page } = await visit(t, inbox(s.url))
    await page.getByRole('button', { name: 'Let the agent ask me something' }).click()
    await questions(page).getByRole('timer').waitFor()
    await page.route('**/api/clarify/respond', (route) => route.abort())
    await questions(page).getByRole('button', { name: 'coffee' }).click()
    await questions(page).getByRole('alert').waitFor()
    await page.unroute('**/api/clarify/respond')
    await questions(page).getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Nothing is waiting for you').waitFor()
    const [{ session_id: id }] = (await s.get('/api/sessions')).body.sessions
    t.match(await ended(s, id), /The user answered: coffee/)
  })

  t.test('a long command stays inside its card, and the buttons within the window', async (t) => {
    const s = await startChat(t)
    writeFileSync(join(s.folder, 'home', 'config.yaml'), 'approvals:\n  timeout: 300\n')
    const sessionId = await sessionWith(s, run(`echo ${'a-word-that-does-not-break-'.repeat(30)}\n`.repeat(12)))
    const { page, problems } = await visit(t, inbox(s.url), { width: 390 })
    await s.send(sessionId, 'Go on')
    const card = approvals(page)
    await card.getByRole('timer').waitFor()
    t.match(await card.getByRole('timer').innerText(), /^[45]:\d\d left$/)
    const box = await card.locator('.prompt-area').evaluate((area) => ({ sideways: area.scrollWidth - area.clientWidth, down: area.scrollHeight - area.clientHeight }))
    t.equal(box.sideways, 0, 'it wraps')
    t.ok(box.down > 0, 'and scrolls')
    for (const button of await card.getByRole('button').all()) t.equal(await button.evaluate((element) => element.getBoundingClientRect().bottom < element.ownerDocument.documentElement.clientHeight), true)
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(problems, [])
  })
})
