import t from '#test'
import { type Page } from 'playwright-core'
import { start } from '../support/app.js'
import { answer, box, chats, choose, log, settled, title, visitApp } from '../support/app-page.js'
import { still, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'

/** With `SCREENSHOTS`, saves a picture for a person to look at. */
async function shot (page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: folder } = process.env
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}

const line = (page: Page) => page.getByRole('region', { name: 'Temporary chat' })
const offer = (page: Page) => page.getByText('Temporary chat deleted.')
const idOf = (page: Page): string => new URL(page.url()).pathname.split('/').at(-1) ?? ''

withBrowser(() => {
  for (const isPhone of [false, true]) {
    t.test(`a temporary chat is begun, left, taken back, kept and deleted${isPhone ? ' on a phone' : ''}`, async (t) => {
      const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 300 })
      const { page } = await visitApp(t, s.url, null, isPhone ? { width: 390, height: 780, isPhone } : {})
      const statusOf = async (id: string): Promise<number> => (await s.get(`/api/session?session_id=${id}`)).status
      const begin = async (text: string): Promise<string> => {
        const before = idOf(page)
        await page.getByRole('button', { name: 'Temporary chat', exact: true }).click()
        await line(page).waitFor()
        await box(page).fill(text)
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        await log(page).getByText(text).waitFor()
        await settled(page)
        await eventually('its address', () => idOf(page) !== before)
        return idOf(page)
      }
      const home = async (): Promise<void> => {
        await page.keyboard.press('Escape')
        await page.evaluate('document.activeElement?.blur()')
        if (isPhone) await page.getByRole('button', { name: 'Show chats' }).click()
        await page.getByRole('link', { name: 'Home', exact: true }).click()
        await box(page).waitFor()
      }

      await page.getByRole('button', { name: 'Temporary chat', exact: true }).click()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await still(page)
        await shot(page, `temporary-new-${colorScheme}${isPhone ? '-phone' : ''}`)
      }
      await page.getByRole('button', { name: 'Temporary chat', exact: true }).click()
      await line(page).waitFor({ state: 'detached' })

      const first = await begin('slow 3')
      t.match((await s.get(`/api/session?session_id=${first}`)).body.session, { temporary: true })
      await shot(page, `temporary-chat-dark${isPhone ? '-phone' : ''}`)
      await page.reload()
      await answer(page).waitFor()
      t.ok(await line(page).isVisible(), 'a reload does not leave it')
      t.equal(await page.getByRole('button', { name: 'Branch from here' }).count(), 0)
      await home()
      await offer(page).waitFor()
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await log(page).getByText('slow 3').waitFor()
      t.equal(idOf(page), first)
      await home()
      await offer(page).waitFor()
      await page.goBack()
      await log(page).getByText('slow 3').waitFor()
      t.equal(await offer(page).count(), 0, 'coming back takes the deletion back')
      t.equal(await statusOf(first), 200)

      await line(page).getByRole('button', { name: 'Keep this chat' }).click()
      await page.getByText('Chat kept.').waitFor()
      await line(page).waitFor({ state: 'detached' })
      await home()
      if (isPhone) await page.getByRole('button', { name: 'Show chats' }).click()
      await chats(page).getByRole('link', { name: /slow 3/ }).waitFor()
      if (isPhone) await page.keyboard.press('Escape')

      const second = await begin('slow 4')
      await choose(page, page.getByRole('button', { name: 'Chat actions' }), 'Delete')
      await offer(page).waitFor()
      await page.goto(`${s.url}/skills`)
      await eventually('the chat to be deleted', async () => await statusOf(second) === 404)
      t.equal(await statusOf(first), 200)
      t.equal(await title(page).textContent(), 'Skills')
    })
  }
})
