import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

withBrowser(() => {
  t.test('diagnostics show what is wrong and how to fix it, are run again, and copied', async (t) => {
    const s = await start(t, { onDisk: true })
    const state = join(s.folder, 'home', 'webui')
    chmodSync(join(s.folder, 'home'), 0o700)
    chmodSync(state, 0o777)
    const { page, problems } = await visit(t, `${s.url}/settings/diagnostics`)
    await page.getByText('chmod u=rwx,go= ~/home/webui').waitFor()
    const row = page.getByRole('listitem').filter({ hasText: 'Every user of this machine' })
    t.match(await row.innerText(), /Problem\s+State folder\s+Every user of this machine can open ~\/home\/webui\./)
    await page.getByText('A connection is kept open for 1 minute').waitFor()
    await page.emulateMedia({ reducedMotion: 'reduce' })
    t.same(await violations(page), [])

    chmodSync(state, 0o700)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('The state folder can be written').waitFor()
    t.equal(await page.getByText('chmod').count(), 0)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy report' }).click()
    await page.getByText('Report copied.').waitFor()
    const copied = String(await page.evaluate('navigator.clipboard.readText()'))
    // Within a subject, warnings precede what is well.
    t.match(copied, /^agent-web-service \d[^]*Storage\n(?:! .*\n(?: {4}.*\n)*)*✓ State folder: The state folder can be written/)
    t.notOk(copied.includes(s.folder))

    await page.getByText('A stream stayed open for 1 minute.').waitFor({ timeout: 120_000 })
    await page.getByText('Answers arrive while they are written.').waitFor()
    t.same(problems, [])
  })

  t.test('nothing of the page is wider than a phone', async (t) => {
    const s = await start(t)
    const { page } = await visit(t, `${s.url}/settings/diagnostics`, { width: 375, height: 700, isPhone: true })
    await page.getByText('Search in files').waitFor()
    t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
  })
})
