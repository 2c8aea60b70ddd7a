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
    const entries = page.getByRole('listitem').filter({ has: page.locator('code') })
    await page.getByText('settings.changed').waitFor()
    t.equal(await entries.count(), 100)
    t.match(await entries.first().innerText(), /settings\.changed[^]*Anyone who can reach the service · 127\.0\.0\.1[^]*bot_name[^]*Ada/)
    await page.getByRole('button', { name: 'Show older entries' }).click()
    await page.getByText('device.created').waitFor()
    t.equal(await entries.count(), 122)
    t.match(await entries.last().innerText(), /name: <b>phone<\/b> · scope: read/)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    t.same(await violations(page), [])

    await page.getByRole('combobox', { name: 'Kind' }).selectOption('device')
    await page.getByText('settings.changed').waitFor({ state: 'detached' })
    t.equal(await entries.count(), 1)
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('')
    const search = page.getByRole('searchbox', { name: 'Search in details, names and addresses' })
    await search.fill('number 11')
    await search.press('Enter')
    await page.getByText('session: number 119').waitFor()
    t.equal(await entries.count(), 11)
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export as CSV' }).click()])
    t.equal(download.suggestedFilename(), 'audit.csv')
    await search.fill('nothing like it')
    await search.press('Enter')
    await page.getByText('No entries.').waitFor()
    t.same(problems, [])
  })
})
