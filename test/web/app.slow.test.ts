import t from '#test'
import { start } from '../support/app.js'
import { answer, appAddress, approval, box, chats, converse, count, listen, live, log, say, sent, settled, stop, title, told, visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { open, visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'

const password = 'correct horse'
const counted = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ')

// The essential functions, in a real browser. All other screens are in app-*.long.test.ts.
withBrowser(() => {
  t.test('with a password: sign in, converse, sign in again where one was; what was typed is not lost', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: password } })
    const { page, problems } = await visit(t, appAddress(s.url))
    t.equal(new URL(page.url()).pathname, '/login')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(/^[^/]+\/\/[^/]+\/$/)
    await box(page).waitFor()
    await converse(page, 'slow 3')
    await answer(page).getByText('1 2 3').waitFor()
    await page.waitForURL(/\/session\/\w+$/)
    const address = page.url()

    await box(page).fill('slow 4')
    await page.context().clearCookies()
    // Pressed on the page, not in the box: another request of the app may already have led to the sign-in.
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/login/)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await title(page).getByText('slow 3').waitFor()
    await answer(page).getByText('1 2 3').waitFor()
    t.equal(page.url(), address, 'signing in again leads back to the session')
    t.equal(await count(page, 'slow 4'), 0)
    t.same(wrong(problems, '401'), [])
  })

  t.test('it begins in the language of the browser', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const { page } = await visit(t, s.url, { locale: 'de-DE' })
    await page.getByRole('textbox', { name: 'Nachricht', exact: true }).waitFor()
    t.equal(await page.evaluate('document.documentElement.lang'), 'de')
  })

  t.test('a conversation: live text, then the same exchange settled; a screen reader is told of the turn and never of words', async (t) => {
    const s = await start(t, { hosts: 'inproc', demoWordsPerSecond: 200 })
    const { page, problems } = await visitApp(t, s.url)
    await listen(page)
    await converse(page, 'list')
    t.match(await answer(page).innerText(), 'list_files returned')
    t.match(new URL(page.url()).pathname, /^\/session\/\w+/)
    await log(page).getByText('Searched').click()
    const call = log(page).locator('summary', { hasText: 'list_files' })
    await call.getByRole('img', { name: 'done' }).waitFor()
    await call.click()
    t.match(await log(page).getByRole('region', { name: 'Result' }).innerText(), 'is empty')
    await chats(page).locator('a[aria-current=page]', { hasText: 'list' }).waitFor()

    await say(page, 'slow 30')
    await live(page).getByText('3 4 5').waitFor()
    t.equal(await stop(page).isVisible(), true)
    await eventually('a mark in the title', async () => (await page.title()).startsWith('… '))
    await box(page).fill('typed meanwhile')
    await settled(page)
    t.equal(await box(page).inputValue(), 'typed meanwhile')
    t.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Message', 'the focus stays in the box')
    t.match(await answer(page).innerText(), counted(30))
    t.equal(await count(page, counted(30)), 1)
    t.equal(await sent(page).count(), 2)
    const tellings = await told(page)
    t.same(tellings.filter((text) => text.startsWith('Answering')).length, 2)
    t.same(tellings.filter((text) => text.startsWith('Done')).length, 2)
    t.notMatch(tellings.join(' '), /3 4/)
    t.notMatch(await page.title(), /^…/)
    t.same(wrong(problems), [])
  })

  t.test('an approval: asked, allowed, run; other devices and windows see the same card', async (t) => {
    const s = await start(t)
    const { page, problems } = await visitApp(t, s.url)
    await listen(page)
    await say(page, 'run echo hi')
    const card = approval(page)
    await card.waitFor()
    t.equal(await card.getByText('echo hi', { exact: true }).first().isVisible(), true)
    t.match(await card.getByRole('button').allInnerTexts(), [/Allow once/, /Allow in this chat/])
    await chats(page).getByRole('img', { name: 'needs your approval' }).first().waitFor()
    t.match((await told(page)).join('|'), /Answering.*Approval needed/)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    t.same(await violations(page), [], 'a card')

    const phone = await visit(t, page.url(), { width: 360 })
    const sameBrowser = await open(await page.context().newPage(), page.url())
    const sheet = phone.page.getByRole('dialog')
    await sheet.getByRole('button', { name: 'Allow once' }).waitFor()
    await approval(sameBrowser.page).waitFor()
    t.equal(await phone.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await approval(sameBrowser.page).getByRole('button', { name: 'Allow once' }).click()
    await sheet.waitFor({ state: 'hidden' })
    for (const one of [page, phone.page, sameBrowser.page]) {
      await approval(one).waitFor({ state: 'detached' })
      await settled(one)
      await log(one).getByText('Ran echo hi').click()
      await log(one).locator('summary', { hasText: 'terminal' }).click()
      t.match(await log(one).getByRole('region', { name: 'Result' }).innerText(), /^hi\n/)
    }

    await say(page, 'run echo "unfinished')
    await card.waitFor()
    t.equal(await card.getByRole('button', { name: 'Allow in this chat' }).count(), 0, 'what cannot be kept is not offered')
    await card.getByRole('button', { name: 'Deny' }).click()
    await settled(page)
    t.match(await log(page).innerText(), '1 failed')
    t.same(wrong([...problems, ...phone.problems, ...sameBrowser.problems]), [])
  })

  t.test('a setting is saved at once, seen in another window, and undone', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const { page } = await visit(t, `${s.url}/settings/privacy`)
    const other = await visit(t, `${s.url}/settings/privacy`)
    const theirs = other.page.getByRole('switch', { name: 'Mask credentials' })
    await theirs.waitFor()
    await page.getByRole('switch', { name: 'Mask credentials' }).click()
    await other.page.locator('[role=switch]:not(:checked)').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await other.page.locator('[role=switch]:checked').waitFor()
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('pinned chats')
    await page.getByLabel('Maximum number of pinned chats').fill('7')
    await page.keyboard.press('Enter')
    await page.getByText('Maximum number of pinned chats: saved').waitFor()
    t.equal((await s.get('/api/settings')).body.pinned_sessions_limit, 7)
  })
})
