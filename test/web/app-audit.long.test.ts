import t from '#test'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

withBrowser(() => {
  t.test('the audit log is read, searched, paged and exported', async (t) => {
    const s = await start(t)
    await s.post('/api/auth/tokens/create', { name: '<b>phone</b>', scope: 'read' })
    for (let count = 0; count < 120; count++) s.app.audit.soonest('git.pushed', { session: `number ${count}` })
    await s.post('/api/settings', { bot_name: 'Ada' })
    const { page, problems } = await visit(t, `${s.url}/settings/audit`)
    const entries = page.locator('.audit-entry')
    await page.getByText('Settings: changed').waitFor()
    t.equal(await entries.count(), 100)
    const first = await entries.first().innerText()
    t.match(first, /^\d+:\d\d\s+Settings: changed\s+bot_name$/, 'one line says when, and what was done to what')
    t.same(await page.getByRole('heading', { level: 3 }).allInnerTexts(), ['Today'], 'the day stands once, above its entries')
    await entries.first().getByText('Settings: changed').click()
    await entries.first().getByText('Kind').waitFor()
    const opened = await entries.first().innerText()
    t.match(opened, /Who\s+Anyone who can reach the service · 127\.0\.0\.1\s+Kind\s+settings\.changed\s+changes\s+bot_name: [^]* → "Ada"/)
    await page.getByRole('button', { name: 'Show older entries' }).click()
    await page.getByText('Devices and tokens: created').waitFor()
    t.equal(await entries.count(), 122)
    t.match(await entries.last().innerText(), /^\d+:\d\d\s+Devices and tokens: created\s+<b>phone<\/b>/, 'it is named, not numbered')
    await entries.last().getByText('Devices and tokens: created').click()
    await entries.last().getByText('Kind').waitFor()
    t.match(await entries.last().innerText(), /device\.created\s[^]*name\s+<b>phone<\/b>\s+scope\s+read/)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    t.same(await violations(page), [])

    await page.getByRole('combobox', { name: 'Kind' }).selectOption('device')
    await page.getByText('Settings: changed').waitFor({ state: 'detached' })
    t.equal(await entries.count(), 1)
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('')
    const search = page.getByRole('searchbox', { name: 'Search in details, names and addresses' })
    await search.fill('number 11')
    await search.press('Enter')
    await entries.nth(10).waitFor()
    t.equal(await entries.count(), 11)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as CSV' }).click()])
    t.equal(download.suggestedFilename(), 'audit.csv')
    await search.fill('nothing like it')
    await search.press('Enter')
    await page.getByText('No entries.').waitFor()
    await Promise.all([page.waitForResponse(/\/api\/audit\?/), search.press('Enter')])
    await search.fill('number 7')
    t.match(await page.getByRole('link', { name: 'Export as CSV' }).getAttribute('href'), /q=number(\+|%20)7$/, 'the export is of what is typed')
    t.same(problems, [])
  })

  t.test('the audit log names each day, everyone once somebody has signed in, and links only to chats that there are', async (t) => {
    const s = await start(t)
    const { page, problems } = await visit(t, 'about:blank')
    const nowS = Date.now() / 1_000
    const actors = { open: { kind: 'person', id: 'open', name: null }, signedIn: { kind: 'person', id: '3f', name: null } }
    const entryOf = (id: number, daysAgo: number, kind: string, actor: object, details: object) =>
      ({ id, at: nowS - daysAgo * 86_400, kind, outcome: 'ok', actor, address: null, details })
    const entries = [
      entryOf(3, 0, 'session.deleted', actors.open, { session: 's-deleted', profile: 'default' }),
      entryOf(2, 400, 'checkpoint.restored', actors.open, { session: null, checkpoint: 'c', files: null, lost: [] }),
      entryOf(1, 400, 'share.created', actors.signedIn, { session: 's-kept' })
    ]
    let shown = entries.slice(0, 2)
    await page.route('**/api/audit', async (route) => await route.fulfill({ json: { entries: shown, next_before: null } }))
    await page.goto(`${s.url}/settings/audit`)
    const days = page.getByRole('region', { name: /^Today$|^\w+day, \d+ \w+ \d{4}$/ })
    await days.nth(1).waitFor()
    const who = page.locator('.audit-who')
    t.equal(await who.count(), 0)
    for (const summary of await page.locator('.audit-entry summary').all()) await summary.click()
    await days.first().getByText('s-deleted').waitFor()
    await days.nth(1).getByText('checkpoint', { exact: true }).waitFor()
    t.match(await days.nth(1).innerText(), /session\s+–\s+checkpoint\s+c\s+files\s+–\s+lost\s+–/)
    t.equal(await days.getByRole('link').count(), 0)
    shown = entries
    await page.getByRole('searchbox', { name: 'Search in details, names and addresses' }).press('Enter')
    await page.locator('.audit-entry').nth(2).waitFor()
    t.same(await who.allInnerTexts(), ['Anyone who can reach the service', 'Anyone who can reach the service', 'Signed in (3f)'])
    await page.locator('.audit-entry summary').last().click()
    await days.getByRole('link', { name: 's-kept' }).waitFor()
    t.equal(await days.getByRole('link').count(), 1)
    t.same(problems, [])
  })
})
