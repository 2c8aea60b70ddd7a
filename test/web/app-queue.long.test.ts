import { type Page } from 'playwright-core'
import t from '#test'
import { box, focusedName, listen, log, say, stop, told, visitApp } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'
import { eventually, gate, held, startChat } from '../support/chat.js'

const list = (page: Page) => page.getByRole('region', { name: 'Queued messages' })
const rows = (page: Page) => list(page).getByRole('listitem')
const texts = async (page: Page) => (await rows(page).locator('.queue-text > bdi').allInnerTexts()).join(' | ')
const shows = (page: Page, wanted: string) => eventually(`the queue: ${wanted}`, async () => await texts(page) === wanted)
/** Queues the typed text after the running turn. */
async function queue (page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await box(page).press('Alt+Enter')
}

withBrowser(() => {
  t.test('messages wait in a list above the box, on every device: ordered by keys and by dragging, edited, removed, brought back', async (t) => {
    const s = await startChat(t)
    const over = gate()
    const model = s.model(held(over, [{ text: 'I am at it' }], [{ text: ' no more.' }]))
    const id = await s.newSession({ model, model_provider: 'openai' })
    const { page, problems } = await visitApp(t, s.url, id)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await say(page, 'Begin')
    await log(page).getByText('I am at it').waitFor()
    await box(page).fill('Then run the tests')
    await page.getByRole('button', { name: 'Send after this turn' }).click()
    await shows(page, 'Then run the tests')
    for (const text of ['Write the changelog', 'Tell me what is left, in three lines, and what you would do first if you had another day for it']) await queue(page, text)
    const last = 'Tell me what is left, in three lines, and what you would do first if you had another day for it'
    await shows(page, `Then run the tests | Write the changelog | ${last}`)
    t.same(await violations(page), [])

    const phone = await visitApp(t, s.url, id, { width: 390, height: 844, isPhone: true })
    await shows(phone.page, `Then run the tests | Write the changelog | ${last}`)
    t.same(await violations(phone.page), [])

    await listen(page)
    const grip = list(page).getByRole('button', { name: 'Move “Write the changelog”' })
    await grip.focus()
    await page.keyboard.press('ArrowUp')
    await shows(phone.page, `Write the changelog | Then run the tests | ${last}`)
    await eventually('it is told', async () => (await told(page)).includes('Moved to place 1 of 3'))
    await eventually('the grip keeps the focus', async () => await focusedName(page) === 'Move “Write the changelog”')
    await page.keyboard.press('ArrowUp')
    await rows(page).nth(2).dragTo(rows(page).nth(0))
    await shows(phone.page, `${last} | Write the changelog | Then run the tests`)

    await rows(page).nth(1).hover()
    await rows(page).nth(1).getByRole('button', { name: 'Edit' }).click()
    const field = list(page).getByRole('textbox', { name: 'Queued message' })
    await field.press('End')
    await field.pressSequentially(', in Chinese too')
    t.same(await violations(page), [])
    await field.press('Enter')
    await shows(phone.page, `${last} | Write the changelog, in Chinese too | Then run the tests`)
    await rows(page).nth(1).getByRole('button', { name: 'Edit' }).click()
    await field.fill('Never saved')
    await field.press('Escape')
    await shows(page, `${last} | Write the changelog, in Chinese too | Then run the tests`)

    await rows(page).nth(1).getByRole('button', { name: 'Remove' }).click()
    await shows(phone.page, `${last} | Then run the tests`)
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows(phone.page, `${last} | Write the changelog, in Chinese too | Then run the tests`)

    const { page: there } = phone
    const menu = async (row: number, action: string) => {
      await rows(there).nth(row).getByRole('button', { name: /^Actions for/ }).click()
      await there.getByRole('menuitem', { name: action }).click()
    }
    await rows(there).nth(0).getByRole('button', { name: /^Actions for/ }).click()
    await there.getByRole('menuitem', { name: 'Move down' }).waitFor()
    await there.getByRole('menuitem', { name: 'Move down' }).click()
    await shows(page, `Write the changelog, in Chinese too | ${last} | Then run the tests`)
    await menu(2, 'Add to the running turn')
    await shows(page, `Write the changelog, in Chinese too | ${last}`)
    await menu(1, 'Remove')
    await shows(page, 'Write the changelog, in Chinese too')

    await rows(page).nth(0).getByRole('button', { name: 'Edit' }).click()
    await field.fill('Half changed')
    over.open()
    await eventually('it has begun, and what was typed is in the box', async () => (await box(page).inputValue()).includes('Half changed'))
    // What the turn did not read has come back to the queue.
    await log(page).getByRole('article', { name: 'You' }).filter({ hasText: 'Then run the tests' }).waitFor()
    await log(page).getByRole('article', { name: 'You' }).filter({ hasText: 'Write the changelog, in Chinese too' }).waitFor()
    await list(page).waitFor({ state: 'detached' })
    t.same([...problems, ...phone.problems], [])
  })

  t.test('a queue that is held says why: it goes on, or is dropped, which can be undone', async (t) => {
    const s = await startChat(t)
    const model = s.model(held(gate(), [{ text: 'Busy' }], []), [{ text: 'One is done.' }], held(gate(), [{ text: 'Busy again' }], []))
    const id = await s.newSession({ model, model_provider: 'openai' })
    const { page, problems } = await visitApp(t, s.url, id)
    await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'dark' })
    await say(page, 'Begin')
    await log(page).getByText('Busy').waitFor()
    for (const text of ['One', 'Two', 'Three']) await queue(page, text)
    await shows(page, 'One | Two | Three')
    await stop(page).click()
    await list(page).getByText('You stopped the last turn, so the queue waits for you.').waitFor()
    await page.reload()
    await shows(page, 'One | Two | Three')
    await list(page).getByRole('button', { name: 'Continue' }).waitFor()
    t.same(await violations(page), [])
    await rows(page).nth(2).getByRole('button', { name: 'Remove' }).click()
    await shows(page, 'One | Two')
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows(page, 'One | Two | Three')
    const queued = async () => (await s.get(`/api/session/queue?session_id=${id}`)).body
    t.match(await queued(), { queue: [{}, {}, {}], held: { reason: 'cancelled' } }, 'and nothing has begun meanwhile')
    await list(page).getByRole('button', { name: 'Continue' }).click()
    await log(page).getByText('One is done.').waitFor()
    await log(page).getByText('Busy again').waitFor()
    await shows(page, 'Three')
    await stop(page).click()
    await list(page).getByRole('button', { name: 'Drop all' }).click()
    await list(page).waitFor({ state: 'detached' })
    await page.getByText('1 queued message dropped').waitFor()
    t.match(await queued(), { queue: [], held: null }, 'at once, whatever becomes of this window')
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows(page, 'Three')
    t.match(await queued(), { queue: [{ message: 'Three' }], held: { reason: 'cancelled' } }, 'it is back and does not begin')
    await list(page).getByRole('button', { name: 'Drop all' }).click()
    await list(page).waitFor({ state: 'detached' })

    await s.post('/api/session/queue', { session_id: id, action: 'add', message: 'Much later', not_before: 4e9 })
    await s.post('/api/settings', { language: 'zh' })
    await page.goto(s.url)
    await page.getByRole('region', { name: '接下来' }).getByText(/^1 条消息等到/).waitFor()
    t.same(problems, [])
  })
})
