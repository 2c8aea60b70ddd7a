import t from 'tap'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

withBrowser(() => {
  t.test('a browser is paired by a code, does what it may, and is shut out when it is revoked', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
    const { page, problems } = await visit(t, `${s.url}/settings/devices`)
    await page.fill('#password', 'correct horse')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('There is none yet.').waitFor()
    await page.getByRole('button', { name: 'Pair a device' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('footer button').click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('phone')
    await dialog.getByRole('combobox', { name: 'What it may do' }).selectOption('read')
    await page.emulateMedia({ reducedMotion: 'reduce' })
    t.same(await violations(page), [])
    await dialog.locator('footer button').click()
    const code = await dialog.locator('.device-code code').innerText()

    const phone = await visit(t, `${s.url}/pair#${code}`, { width: 390 })
    t.equal(phone.page.url(), `${s.url}/pair`, 'the code does not stay in the address')
    t.same(await violations(phone.page), [])
    await phone.page.getByRole('button', { name: 'Use this browser' }).click()
    await phone.page.waitForURL(`${s.url}/`)
    t.match(await phone.page.evaluate("fetch('/api/auth/status').then((answer) => answer.json())"), { authenticated: true, token_scope: 'read' })
    await page.getByText('“phone” is paired.').waitFor()

    await page.getByRole('button', { name: 'Make a token' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('script')
    await dialog.locator('footer button').click()
    const token = await dialog.locator('.device-secret').innerText()
    t.equal((await s.get('/api/auth/status', { authorization: `Bearer ${token}` })).body.token_scope, 'chat')
    await dialog.getByRole('button', { name: 'Close' }).click()
    t.notMatch(await page.locator('body').innerText(), token)

    await page.getByRole('button', { name: 'Revoke: phone' }).click()
    await dialog.locator('footer button').click()
    await page.getByRole('button', { name: 'Revoke: phone' }).waitFor({ state: 'detached' })
    await phone.page.getByText('You are signed out.').waitFor()
    t.same(problems, [])
  })
})
