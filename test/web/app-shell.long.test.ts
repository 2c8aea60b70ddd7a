import t from '#test'
import { answer, appAddress, box, chats, choose, converse, focusedName, sent, title, visitApp, wrong } from '../support/app-page.js'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'

withBrowser(() => {
  t.test('chats: a new one, rename, delete, back; what is typed stays with its chat', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_BOT_NAME: '<b>$& "One"</b>' } })
    const { page, problems } = await visitApp(t, s.url)
    t.match(await chats(page).innerText(), '<b>$& "One"</b>', 'a name is text on the page, whatever is in it')
    t.match(await page.title(), '<b>$& "One"</b>')
    await page.getByRole('heading', { name: /model/i }).first().waitFor()
    t.same(await violations(page), [], 'an empty page')
    await converse(page, 'slow 1')
    await chats(page).getByRole('button', { name: 'New chat' }).click()
    await page.waitForURL(/^[^/]+\/\/[^/]+\/$/)
    t.equal(await sent(page).count(), 0)
    t.equal(await focusedName(page), 'Message')
    await converse(page, 'slow 2')
    t.equal(await chats(page).locator('a.rail-row').count(), 2)
    await box(page).fill('half a thought')

    const menu = page.getByRole('button', { name: 'Chat actions', exact: true })
    await choose(page, menu, 'Rename')
    await page.getByRole('dialog').getByLabel('Rename').fill('Second thoughts')
    await page.getByRole('dialog').getByLabel('Rename').press('Enter')
    await title(page).getByText('Second thoughts').waitFor()
    await chats(page).locator('a[aria-current=page]', { hasText: 'Second thoughts' }).waitFor()
    t.match(await page.title(), /^Second thoughts/)

    await chats(page).locator('a.rail-row').last().click()
    await answer(page).getByText(/\b1$/).waitFor()
    t.equal(await box(page).inputValue(), '')
    await page.goBack()
    await title(page).getByText('Second thoughts').waitFor()
    await eventually('what was typed', async () => await box(page).inputValue() === 'half a thought')

    await choose(page, menu, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await choose(page, menu, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForURL(/^[^/]+\/\/[^/]+\/$/)
    await chats(page).getByText('Second thoughts').waitFor({ state: 'detached' })
    await chats(page).locator('a.rail-row').click()
    t.match(await answer(page).innerText(), /\b1$/)
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(wrong(problems, '404'), [])
  })

  t.test('on a phone: the list of chats comes over the page, Back puts it away; what goes wrong says so and can be tried again', async (t) => {
    const s = await start(t)
    const one = await s.newSession()
    await s.send(one, 'The one')
    const { page, problems } = await visitApp(t, s.url, null, { width: 390, height: 844 })
    await page.getByRole('button', { name: 'Show chats' }).click()
    const drawer = page.getByRole('dialog', { name: 'Chats' })
    await drawer.getByText('The one').waitFor()
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' })
      t.same(await violations(page), [], `the list over the page, ${scheme}`)
    }
    await page.goBack()
    await drawer.waitFor({ state: 'hidden' })
    t.equal(new URL(page.url()).pathname, '/', 'still on the same page')
    await page.route('**/api/session?**', (route) => route.abort())
    await page.getByRole('button', { name: 'Show chats' }).click()
    await drawer.getByText('The one').click()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await drawer.waitFor({ state: 'hidden' })
    t.match(await page.getByRole('main').innerText(), 'cannot be reached')
    await page.unroute('**/api/session?**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await title(page).getByText('The one').waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.same(wrong(problems, 'ERR_FAILED'), [])

    await page.goto(appAddress(s.url, 'no-such-session'))
    await page.waitForURL(/^[^/]+\/\/[^/]+\/$/)
    t.equal((await s.get('/nothing/of/the/kind')).status, 404)
    await page.evaluate("history.pushState(null, '', '/nothing/of/the/kind')")
    await page.getByText('There is no such page.').waitFor()
  })
})
