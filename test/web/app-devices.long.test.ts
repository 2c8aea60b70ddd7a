import t from '#test'
import { ofDevice } from '../../web/src/core/device/person-store.js'
import { box, say, settled } from '../support/app-page.js'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'

/** Returns the keys of the copies of chats that still exist. */
const copies = `(async () => {
  if (!(await indexedDB.databases()).some(({ name }) => name === 'kept')) return []
  return await new Promise((resolve) => {
    indexedDB.open('kept').onsuccess = ({ target: { result: database } }) => {
      const asked = database.transaction('kept').objectStore('kept').getAllKeys()
      asked.onsuccess = () => { database.close(); resolve(asked.result) }
    }
  })
})()`

withBrowser(() => {
  t.test('a browser is paired by a code, does what it may, and is shut out when it is revoked', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
    const { page, problems } = await visit(t, `${s.url}/settings/devices`)
    await page.fill('#password', 'correct horse')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('No devices yet.').waitFor()
    await page.getByRole('button', { name: 'Pair a device' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('footer button').click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('phone')
    const scope = dialog.getByRole('combobox', { name: 'What it may do' })
    t.equal(await scope.inputValue(), 'approve', 'a phone is paired to answer with it')
    await scope.selectOption('read')
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
    await page.getByText('“phone” paired.').waitFor()

    await page.getByRole('button', { name: 'Create a token' }).click()
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

  t.test('a sign-out takes everything of the person from the browser, and from its other windows at once', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
    const { page, problems } = await visit(t, `${s.url}/settings/security`)
    await page.fill('#password', 'correct horse')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const signOut = page.getByRole('button', { name: 'Sign out', exact: true })
    await signOut.waitFor()
    const other = await page.context().newPage()
    await other.goto(s.url)
    await say(other, 'A title nobody else is to read')
    await settled(other)
    await eventually('the chat has its title', async () => (await other.title()).includes('A title'))
    const third = await page.context().newPage()
    await third.goto(s.url)
    const written = box(third)
    await written.fill('Secret words')
    await eventually('the draft is kept', async () => await third.evaluate("localStorage.getItem('draft-of-new-session') !== null"))
    await signOut.click()
    for (const window of [other, third]) {
      await window.getByText('You are signed out.').waitFor()
      t.notMatch(await window.locator('body').innerText(), /A title|Secret words/)
      t.notMatch(await window.title(), /A title/)
    }
    t.equal(await written.count(), 0, 'nothing of the chat is to be seen')
    await page.waitForURL('**/login?next=**')
    for (const window of [other, third]) await window.close({ runBeforeUnload: true })
    const left = await page.evaluate('({ ...localStorage })') as Record<string, string>
    t.same(Object.keys(left).filter((key) => !ofDevice.has(key)), [])
    t.same(await page.evaluate(copies), [])
    t.same(problems, [])
  })

  t.test('windows go on by themselves when somebody signs in again', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
    const { page } = await visit(t, s.url)
    const signIn = async (): Promise<void> => {
      await page.fill('#password', 'correct horse')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await box(page).waitFor()
    }
    await signIn()
    const other = await page.context().newPage()
    await other.goto(s.url)
    await box(other).fill('Not sent yet')
    await eventually('the draft is kept', async () => await other.evaluate("localStorage.getItem('draft-of-new-session') !== null"))
    // The sign-in ends without the person's doing: the draft waits for the next one.
    await page.context().clearCookies()
    await page.goto(s.url)
    await signIn()
    await other.reload()
    t.equal(await box(other).inputValue(), 'Not sent yet')
  })
})
