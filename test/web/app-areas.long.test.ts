import t from '#test'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

/** What each screen shows when it is there, and when there is nothing yet. */
const screens = [
  { path: '/inbox', filled: '[data-prompt]', empty: '.state-title' },
  { path: '/tasks', filled: '.task', empty: '.state-title' },
  { path: '/memory', filled: '.memory-document', empty: '.memory-document' },
  { path: '/skills', filled: '.skill-row', empty: '.skill-row' },
  { path: '/usage', filled: '.chart', empty: '.state-title' }
]

withBrowser(() => {
  t.test('every screen, empty and filled, on a desk and a phone, light and dark: nothing is wrong with it, and it stays within the window', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    for (const kind of ['empty', 'filled'] as const) {
      if (kind === 'filled') {
        await s.post('/api/crons/create', { prompt: 'list', schedule: 'every 2h', name: 'Look around' })
        await s.post('/api/memory/write', { section: 'memory', content: '- one\n- token: sk-abcdefghijklmnopqrstuvwxyz0123456789\n' })
        await s.send(await s.newSession(), 'write notes.txt: hello')
        await s.send(await s.newSession(), 'ask me Tea or coffee? tea | coffee')
      }
      for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
        const { page, problems } = await visit(t, `${s.url}/inbox`, size)
        for (const { path, ...marks } of screens) {
          await page.goto(`${s.url}${path}`)
          await page.locator(marks[kind]).first().waitFor()
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
            t.same(await violations(page), [], `${kind} ${path} ${size.width} ${colorScheme}`)
          }
          t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `${path} ${size.width}`)
        }
        t.same(problems, [])
        await page.context().close()
      }
    }
  })

  t.test('a task is made from the example, run, and looked at; others see it at once', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const { page, problems } = await visit(t, `${s.url}/tasks`)
    const other = await visit(t, `${s.url}/tasks`)
    await page.getByRole('button', { name: /^Try one/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What to do').fill('help')
    await dialog.getByLabel('When').fill('when the moon is full')
    await dialog.locator('.task-preview').getByText(/./).waitFor()
    t.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'nothing that was not understood is saved')
    await dialog.getByRole('button', { name: 'every 2h' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const task = other.page.getByRole('listitem').filter({ hasText: 'Morning overview' })
    await task.getByText('every 2 hours').waitFor()
    await page.getByRole('button', { name: 'Run now' }).click()
    await task.getByText('Results', { exact: true }).click()
    await task.locator('.task-runs time').click()
    await task.locator('.task-output').waitFor()
    await task.getByRole('button', { name: /^Actions for/ }).click()
    await other.page.getByRole('menuitem', { name: 'Pause' }).click()
    await page.getByText('paused', { exact: true }).waitFor()
    await other.page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('on', { exact: true }).waitFor()
    t.same([...problems.filter((text) => !/status of 400/.test(text)), ...other.problems], [])
  })
})
