import { type Page } from 'playwright-core'
import t from '#test'
import { start } from '../support/app.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { languageCodes, languages } from '../../web/src/words/languages.js'

const screens = [
  '/', '/away', '/inbox', '/tasks', '/tasks/hooks', '/attempts', '/memory', '/skills', '/models', '/usage', '/settings',
  ...['appearance', 'notifications', 'voice', 'behaviour', 'permissions', 'budgets', 'profiles', 'sign-in', 'devices', 'tool-servers', 'machines', 'transfer', 'diagnostics', 'about']
    .map((name) => `/settings/${name}`)
]

/** Finds labels that are cut off without a sign such as an ellipsis; and whether the page is wider than the window. */
const cutOff = async (page: Page): Promise<unknown> => await page.evaluate(`[
  ...document.documentElement.scrollWidth > innerWidth ? ['the page'] : [],
  ...[...document.querySelectorAll('button, a, label, h1, h2, h3, legend, th, [role=tab]')].filter((element) => {
    const style = getComputedStyle(element)
    return element.clientWidth > 1 && element.scrollWidth > element.clientWidth + 1 && style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis' && style.overflowX !== 'auto'
  }).map((element) => element.textContent.trim())
]`)

withBrowser(() => {
  for (const code of languageCodes.filter((code) => code !== 'en')) {
    t.test(`${languages[code].name} fits a window of 320 pixels on every screen`, async (t) => {
      const s = await start(t, { hosts: 'inproc' })
      const { page, problems } = await visit(t, s.url, { locale: languages[code].tag, width: 320, height: 640 })
      const words = await languages[code].start()
      await page.getByRole('textbox', { name: words.composer.box, exact: true }).waitFor()
      t.equal(await page.evaluate('document.documentElement.lang'), languages[code].tag, 'the browser’s language')
      for (const path of screens) {
        await page.goto(s.url + path)
        await page.getByRole('main').waitFor()
        await eventually(`the screen ${path}`, async () => await page.evaluate('document.querySelector("main")?.innerText.length > 10 && document.querySelector("[aria-busy=true]") === null') === true)
        t.same(await cutOff(page), [], path)
      }
      // A search for model servers is refused while the previous page's search is running.
      t.same(problems.filter((problem) => !problem.includes('/api/providers/discover')), [])
    })
  }
})
