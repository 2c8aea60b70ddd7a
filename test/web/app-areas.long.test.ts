import t from '#test'
import { start } from '../support/app.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

/** What each screen shows with content, and without any. */
const screens = [
  { path: '/inbox', filled: '[data-prompt]', empty: '.state-title' },
  { path: '/tasks', filled: '.task-row', empty: '.state-title' },
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

  t.test('a task is made from the example, in words, run, and looked at; others see it at once', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const { page, problems } = await visit(t, `${s.url}/tasks`)
    const other = await visit(t, `${s.url}/tasks`)
    await page.getByRole('button', { name: /^Try one/ }).click()
    await page.getByLabel('What should happen?').fill('help')
    await page.locator('.task-sentence', { hasText: 'Monday to Friday at 9:00' }).waitFor()
    await page.getByRole('radio', { name: '8:00' }).check()
    await page.locator('.task-sentence', { hasText: 'Monday to Friday at 8:00' }).waitFor()

    const when = page.getByLabel('When?')
    const save = page.getByRole('button', { name: 'Save task' })
    await when.fill('when the moon is full')
    await page.getByText('This is not understood yet').waitFor()
    t.ok(await save.isDisabled(), 'nothing that was not understood is saved')
    await when.fill('evry other tuesday at 7')
    await page.getByRole('button', { name: 'every other Tuesday at 7:00' }).click()
    await page.locator('.task-sentence', { hasText: 'Every other Tuesday at 7:00' }).waitFor()
    await save.click()

    const row = other.page.getByRole('link', { name: /^Morning look/ })
    await row.getByText('Every other Tuesday at 7:00').waitFor()
    await row.click()
    await page.getByRole('button', { name: 'Try it now', exact: true }).click()
    await other.page.locator('.task-result summary').click()
    await other.page.locator('.task-output').getByText('help').first().waitFor()

    const saved = async () => (await s.get('/api/crons')).body.jobs[0]
    const job = await saved()
    t.match(job, { schedule: { kind: 'interval', minutes: 20_160 } })
    await page.getByLabel('Name').fill('Fortnight')
    await save.click()
    await page.getByText('saved. It runs next').waitFor()
    t.match(await saved(), { name: 'Fortnight', next_run_at: job?.next_run_at, schedule: job?.schedule }, 'what was not touched stays as it is')

    const actions = page.getByRole('main').getByRole('button', { name: /^Actions for/ })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Pause' }).click()
    await other.page.getByRole('region', { name: 'Paused' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await other.page.getByRole('region', { name: 'Paused' }).waitFor({ state: 'detached' })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await other.page.getByText('Nothing is scheduled yet').waitFor()
    t.same([...problems.filter((text) => !/status of 400/.test(text)), ...other.problems], [])
  })

  t.test('a fact is added, corrected and forgotten; whoever wrote it is named', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    await s.post('/api/memory/write', { section: 'memory', content: '# Site\n\n- Tests run with npm.\n' })
    const { page, problems } = await visit(t, `${s.url}/memory`)
    const memory = async (): Promise<string> => (await s.get('/api/memory')).body.memory
    const facts = page.locator('.memory-fact')
    await facts.getByText('By you').waitFor()
    await page.getByRole('button', { name: 'Add a fact' }).click()
    await page.getByLabel('Fact', { exact: true }).fill('Releases are on Friday.')
    await page.keyboard.press('Enter')
    const released = facts.filter({ hasText: 'Releases' })
    await released.getByText('By you').waitFor()
    await released.getByRole('button', { name: 'Edit this fact' }).click()
    await page.getByLabel('Fact', { exact: true }).fill('Releases are on Monday.')
    await page.locator('.memory-fact-editor').getByRole('button', { name: 'Save' }).click()
    await facts.getByText('Releases are on Monday.').waitFor()
    t.equal(await memory(), '# Site\n\n- Tests run with npm.\n- Releases are on Monday.\n')
    await facts.first().getByRole('button', { name: 'Forget this fact' }).click()
    await facts.filter({ hasText: 'npm' }).waitFor({ state: 'detached' })
    t.equal(await memory(), '# Site\n\n- Releases are on Monday.\n')
    await page.getByRole('button', { name: 'Undo' }).click()
    await facts.filter({ hasText: 'npm' }).waitFor()
    await page.getByText('Whole text').click()
    t.equal(await page.getByRole('textbox', { name: 'Notes' }).inputValue(), '# Site\n\n- Tests run with npm.\n- Releases are on Monday.\n')
    t.same(await violations(page), [])
    t.same(problems, [])
  })

  t.test('a skill is written as a form, read as prose, and changed; the agent writes one in a chat', async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const { page, problems } = await visit(t, `${s.url}/skills`)
    await page.getByRole('button', { name: 'New skill' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What should it know how to do?').fill('Write release notes: what users notice')
    await dialog.getByLabel('How should it be done?').fill('# Steps\n\n1. Look at the commits.')
    t.equal(await dialog.getByLabel('Name').inputValue(), 'write-release-notes-what')
    await dialog.getByLabel('Name').fill('notes')
    await dialog.getByText('Read', { exact: true }).click()
    await dialog.locator('.skill-prose').getByRole('heading', { name: 'Steps' }).waitFor()
    t.same(await violations(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog.getByLabel('How should it be done?').fill('Only one line.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Only one line.').first().waitFor()
    const { body } = await s.get('/api/skills/content?name=notes')
    t.equal(body.content, '---\nname: notes\ndescription: "Write release notes: what users notice"\n---\n\nOnly one line.\n')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'New skill' }).click()
    await dialog.getByLabel('What should it know how to do?').fill('Water the plants')
    await dialog.getByRole('button', { name: 'Let the agent write it' }).click()
    await page.getByRole('log', { name: 'Conversation' }).getByText('Water the plants').first().waitFor()
    t.same(problems, [])
  })
})
