import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from 'playwright-core'
import t from '#test'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { run, sessionWith } from '../support/page.js'

const area = (page: Page) => page.getByRole('group', { name: 'Details of the request' })
const bar = (page: Page) => page.locator('.prompt-unseen')
const readOn = (page: Page) => bar(page).getByRole('button', { name: 'Read on' })

/** The address of a session in which this waits. */
async function waiting (s: ChatService, answer: ScriptedAnswer): Promise<{ url: string, id: string }> {
  const id = await sessionWith(s, answer)
  await s.send(id, 'Go on')
  while ((await s.get(`/api/approval/pending?session_id=${id}`)).body.pending === null) await new Promise((resolve) => setTimeout(resolve, 20))
  return { url: `${s.url}/session/${id}`, id }
}

/** Whether what stands in front of the answers lies over none of them, and all within the window. */
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
      // It slides in, and its colours fade into the dark ones.
      await eventually('the card in its place', () => isApart(page))
      t.same(await violations(page), [])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.waitForTimeout(500)
      t.same(await violations(page), [])

      await bar(page).getByRole('button', { name: 'Show all' }).click()
      await bar(page).getByText(/^About [\d,]+ more lines below\.$/).waitFor()
      t.ok(await area(page).evaluate((element) => element.ownerDocument.activeElement === element), 'the keyboard goes on in the text')
      const before = await page.locator('.prompt-once').boundingBox()
      const top = await area(page).evaluate((element) => element.scrollTop)
      await readOn(page).click()
      await page.waitForFunction(`document.querySelector('.prompt-area').scrollTop > ${top}`)
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
})
