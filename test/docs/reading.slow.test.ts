import t from '#test'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

withBrowser(() => {
  void t.test('the documentation is searched with keys, and what it shows may be copied', async (t) => {
    const { url } = await start(t)
    const { page, problems } = await visit(t, `${url}/help`)
    t.match(page.url(), /\/help\/index\.html$/)
    await page.keyboard.press('/')
    await page.getByRole('combobox').fill('nginx certificate')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/reverse-proxy\.html#nginx$/)
    t.equal(await page.getByRole('dialog').count(), 0)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.locator('figure.code', { hasText: 'proxy_pass' }).getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    t.match(await page.evaluate('navigator.clipboard.readText()'), /proxy_buffering off/)
    t.same(problems, [])
  })

  void t.test('every kind of page is free of what axe finds, in light and dark, and fits a phone', { long: true }, async (t) => {
    const { url } = await start(t)
    for (const isPhone of [false, true]) {
      const { page, problems } = await visit(t, `${url}/help/tour.html`, isPhone ? { width: 390, height: 844, isPhone } : {})
      for (const name of ['tour', 'troubleshooting', 'configuration', 'api-chat']) {
        await page.goto(`${url}/help/${name}.html`)
        t.same(await violations(page), [], `${name}, light`)
        t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${name} fits`)
        await page.getByRole('button', { name: 'Theme' }).click()
        t.same(await violations(page), [], `${name}, dark`)
        await page.getByRole('button', { name: 'Theme' }).click()
      }
      if (isPhone) {
        await page.getByRole('button', { name: 'Pages' }).click()
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'On my phone' }).click()
        await page.waitForURL(/phone\.html$/)
      }
      t.same(problems, [])
    }
  })

  void t.test('the app leads to it: from the palette, from About, and from an error to what to do about it', async (t) => {
    const { url } = await start(t)
    const { page } = await visit(t, `${url}/settings/about`)
    t.equal(await page.getByRole('link', { name: 'Documentation' }).getAttribute('href'), '/help/index.html')
    const opened = page.waitForEvent('popup')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('help')
    await page.getByRole('option', { name: /^Help/ }).first().click()
    const help = await opened
    await help.waitForURL(/\/help\/index\.html$/)
    await help.goto(`${url}/help/troubleshooting.html#dirty_worktree`)
    t.match(await help.locator('tr:target').innerText(), /Commit, stash or discard/)
  })
})
