import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { violations } from '../support/axe.js'
import { still, visit, withBrowser } from '../support/browser.js'
import { eventually, gate, held, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { run, sessionWith } from '../support/page.js'

const area = (page: Page) => page.getByRole('group', { name: 'Details of the request' })
const bar = (page: Page) => page.locator('.prompt-unseen')
const readOn = (page: Page) => bar(page).getByRole('button', { name: 'Keep reading' })

/** Returns the address of a session in which this waits. */
async function waiting (s: ChatService, answer: ScriptedAnswer): Promise<{ url: string, id: string }> {
  const id = await sessionWith(s, answer)
  await s.send(id, 'Go on')
  while ((await s.get(`/api/approval/pending?session_id=${id}`)).body.pending === null) await new Promise((resolve) => setTimeout(resolve, 20))
  return { url: `${s.url}/session/${id}`, id }
}

/** Whether the bar above the answers covers none of them, and all are within the window. */
const isApart = async (page: Page): Promise<boolean> => {
  const [told, once] = await Promise.all([bar(page).boundingBox(), page.locator('.prompt-once').boundingBox()])
  return told!.y + told!.height <= once!.y + 1 && once!.y + once!.height <= page.viewportSize()!.height
}

withBrowser(() => {
  for (const [device, size] of [['in a window', { width: 1_280 }], ['on a phone', { width: 360, isPhone: true }]] as const) {
    t.test(`${device}: what does not fit on a card says how long it is, is read to its end, and then allowed`, async (t) => {
      const s = await startChat(t)
      const file = join(s.workspace, 'long.txt')
      writeFileSync(file, Array.from({ length: 600 }, (_, at) => `line ${at}`).join('\n'))
      const after = Array.from({ length: 600 }, (_, at) => `another line ${at} in the place of one`).join('\n')
      const { url, id } = await waiting(s, [{ tool: 'write_file', args: { path: 'long.txt', content: after } }])
      const { page, problems } = await visit(t, url, size)
      await bar(page).getByText(/^About \d+ more lines below\. [\d,]+ characters are not shown\.$/).waitFor()
      // It slides in, and its colours fade to the dark ones.
      await eventually('the card in its place', () => isApart(page))
      t.same(await violations(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      await still(page)
      t.same(await violations(page), [])

      await bar(page).getByRole('button', { name: 'Show all' }).click()
      await bar(page).getByText(/^About [\d,]+ more lines below\.$/).waitFor()
      t.ok(await area(page).evaluate((element) => element.ownerDocument.activeElement === element), 'the keyboard goes on in the text')
      const before = await page.locator('.prompt-once').boundingBox()
      const top = await area(page).evaluate((element) => element.scrollTop)
      await readOn(page).click()
      await eventually('the area to scroll', async () => await page.evaluate<boolean>(`document.querySelector('.prompt-area').scrollTop > ${top}`))
      await page.keyboard.press('End')
      await bar(page).getByText('This is the end of the request.').waitFor()
      t.match((await area(page).innerText()).trimEnd(), /another line 599 in the place of one$/)
      t.same((await page.locator('.prompt-once').boundingBox())?.y, before?.y, 'nothing moves under the finger that reads on')
      t.ok(await isApart(page))
      await page.getByRole('button', { name: 'Allow once' }).click()
      await page.locator('[data-prompt], .prompt-sheet').waitFor({ state: 'detached' })
      while ((await s.session(id)).active_stream_id !== null) await new Promise((resolve) => setTimeout(resolve, 20))
      t.equal(readFileSync(file, 'utf8'), after)
      t.same(problems, [])
    })
  }

  t.test('by keyboard: what looks like a credential is opened, and the focus stays in the text', async (t) => {
    const s = await startChat(t)
    const { url } = await waiting(s, run('curl -H "Authorization: Bearer a1B2c3D4e5F6g7H8i9J0k1L2m3N4" https://example.org/'))
    const { page, problems } = await visit(t, url)
    const folded = page.getByRole('button', { name: '[hidden, 28 characters]' })
    await folded.first().waitFor()
    t.same(await violations(page), [])
    await page.keyboard.press('Tab')
    t.ok(await area(page).evaluate((element) => element.ownerDocument.activeElement === element))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await area(page).getByText('a1B2c3D4e5F6g7H8i9J0k1L2m3N4').first().waitFor()
    t.equal(await folded.count(), 0)
    t.ok(await area(page).evaluate((element) => element.ownerDocument.activeElement === element))
    t.equal(await page.locator('.prompt-once').count(), 1, 'and nothing was answered by that')
    t.same(problems, [])
  })

  t.test('a gap does not keep from sight what follows it', async (t) => {
    const s = await startChat(t)
    const { url } = await waiting(s, run(`echo ok${'\n'.repeat(200)}echo tail${' '.repeat(3_000)}; echo end`))
    const { page } = await visit(t, url, { width: 360 })
    await page.locator('.prompt-once').waitFor()
    t.equal(await area(page).locator('pre').innerText(), 'echo ok\n[199 blank lines]\necho tail [3,000 blanks] ; echo end')
  })

  t.test('a request is denied with what is typed in the box as a note, and the box says so before it does', async (t) => {
    const s = await startChat(t)
    const wait = gate()
    const model = s.model(run('rm -rf build && echo gone'), held(wait, [{ text: 'I leave it.' }], [{ text: ' Good.' }]))
    const id = await s.newSession({ model, model_provider: 'openai' })
    await s.send(id, 'Clean up')
    const { page, problems } = await visit(t, `${s.url}/session/${id}`)
    const card = page.getByRole('region', { name: 'Approval needed' })
    await card.getByRole('heading', { name: 'Run this command?' }).waitFor()
    t.match(await card.locator('.prompt-effects').innerText(), /^In .*not sandboxed\s+Deletes build$/s)
    t.equal((await card.innerText()).split('rm -rf build').length, 2, 'the command stands there once')
    const box = page.locator('#message')
    t.equal(await box.getAttribute('placeholder'), 'Deny with a note, or add something…')
    await box.fill('Keep the <b>folder</b>')
    await page.getByText('Enter denies the request and gives the agent this note.').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await still(page)
      t.same(await violations(page), [], colorScheme)
    }
    await box.press('Enter')
    await card.waitFor({ state: 'detached' })
    await page.locator('.answer', { hasText: 'I leave it.' }).waitFor()
    t.equal(await box.inputValue(), '')
    const told = JSON.stringify(s.requests(model)[1]?.messages)
    t.match(told, 'Keep the <b>folder</b>')
    t.match(told, /denied|declined|not allowed|refused/i)
    wait.open()
    await page.locator('.bubble-note', { hasText: 'Keep the <b>folder</b>' }).waitFor()
    t.same(problems, [])
  })

  t.test('an answered card folds into a line that says what was decided, as long as the turn goes on', async (t) => {
    const s = await startChat(t)
    const wait = gate()
    const id = await sessionWith(s, run('echo one'), held(wait, [{ text: 'It ran' }], [{ text: '.' }]))
    await s.send(id, 'Go on')
    const { page, problems } = await visit(t, `${s.url}/session/${id}`)
    await page.locator('.prompt-once:enabled').click()
    await page.getByText('Allowed once · echo one').waitFor()
    await page.locator('.answer', { hasText: 'It ran' }).waitFor()
    wait.open()
    await page.getByText('Allowed once · echo one').waitFor({ state: 'detached' })
    t.same(problems, [])
  })
})
