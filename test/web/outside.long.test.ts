import t from '#test'
import { type Page } from 'playwright-core'
import { start } from '../support/app.js'
import { visit, withBrowser } from '../support/browser.js'

/** Loads a page, and returns how its typeface was received. */
async function typefaceOf (page: Page, url: string): Promise<string> {
  const ended = Promise.race([
    page.waitForEvent('requestfinished', { predicate: (request) => request.url().endsWith('/static/inter.woff2') }).then(() => 'loaded'),
    page.waitForEvent('requestfailed', { predicate: (request) => request.url().endsWith('/static/inter.woff2') }).then((request) => String(request.failure()?.errorText))
  ])
  await page.goto(url)
  return await ended
}

withBrowser(() => {
  t.test('pages outside the app have its typeface, and their reader\'s language', async (t) => {
    const s = await start(t, { env: { SVC_WEBUI_PASSWORD: 'open sesame, please' } })
    const { headers } = await s.post('/api/auth/login', { password: 'open sesame, please' })
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const post = async (path: string, body: object) => (await s.post(path, body, { cookie })).body
    const { session } = await post('/api/session/import', { title: 'For everybody', messages: [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Good **day**' }] })
    const { path: shared } = await post('/api/session/share', { session_id: session.session_id })
    for (const device of [{ locale: 'de-DE' }, { locale: 'de-DE', width: 390, height: 780, isPhone: true }]) {
      const { page, problems } = await visit(t, 'about:blank', device)
      for (const [name, path, text] of [['sign-in', '/login', 'Anmelden'], ['shared', shared, 'Nur zum Lesen'], ['missing', '/share/nothing', 'Seite nicht gefunden']] as const) {
        await page.context().clearCookies()
        t.equal(await typefaceOf(page, s.url + path), 'loaded', name)
        await page.getByText(text).first().waitFor()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          const { SCREENSHOTS: folder } = process.env
          if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}-${colorScheme}${device.isPhone === true ? '-phone' : ''}.png` })
        }
      }
      t.same(problems.filter((problem) => !/404/.test(problem)), [])
    }
  })
})
