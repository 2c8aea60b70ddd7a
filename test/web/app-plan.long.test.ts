import { type Page } from 'playwright-core'
import t from '#test'
import { answer, box, focusedName, listen, say, settled, told, visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'
import { eventually, gate, held, said, startChat } from '../support/chat.js'

const document = '# Tidy up\n\nTwo files are left over.\n\n- [ ] Rename one.ts\n- [ ] Remove two.ts\n'
const line = (page: Page) => page.getByRole('region', { name: 'Plan mode' })
const access = (page: Page) => page.locator('.composer-chip').filter({ hasText: /Asks first|Plan first/ })

withBrowser(() => {
  t.test('plan mode is chosen below the box, its plan is read, commented on, edited and started, and ticked off as it goes', async (t) => {
    const s = await startChat(t)
    const over = gate()
    const model = s.model(
      [{ tool: 'write_plan', args: { plan: document } }], [{ text: 'There is the plan.' }],
      [{ text: 'I have read it.' }],
      [{ tool: 'todo', args: { todos: [{ id: '1', content: 'Rename one.ts', status: 'completed' }, { id: '2', content: 'Keep two.ts', status: 'in_progress' }] } }],
      held(over, [{ text: 'Half' }], [{ text: ' and whole.' }])
    )
    const id = await s.newSession({ model, model_provider: 'openai' })
    const { page, problems } = await visitApp(t, s.url, id)
    const phone = await visitApp(t, s.url, id, { width: 390, height: 844, isPhone: true })
    await access(page).click()
    await page.getByRole('menuitemcheckbox', { name: /Plan first/ }).click()
    await line(page).getByText('It changes nothing until you start its plan').waitFor()
    await line(phone.page).waitFor()
    t.same(await violations(page), [])
    await say(page, 'Plan it')
    await line(page).getByText('Tidy up · 2 steps').waitFor()
    await settled(page)
    await line(page).getByRole('button', { name: 'Open plan' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Plan' })
    await panel.getByText('Two files are left over.').waitFor()
    t.same(await violations(page), [])

    await panel.getByRole('button', { name: 'Comment on line 6' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Is it used?')
    await page.keyboard.press('Control+Enter')
    await panel.getByRole('button', { name: 'Send 1 comment' }).click()
    await answer(page).getByText('I have read it.').waitFor()
    await settled(page)
    t.match(said(s.requests(model)[2], 'user').at(-1), /plan:plan\.md.*line 6.*Is it used\?/s)

    await panel.getByRole('button', { name: 'Edit' }).click()
    const text = panel.getByRole('textbox', { name: 'The plan in Markdown' })
    await text.fill(document.replace('Remove two.ts', 'Keep two.ts'))
    await s.post('/api/session/plan', { session_id: id, text: `${document}- [ ] Theirs\n`, version: 1 })
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByText('The plan has changed in the meantime.').waitFor()
    t.match(await text.inputValue(), /Keep two\.ts/, 'what was written stays')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByText('Version 3, edited by you').waitFor()

    await panel.getByRole('button', { name: 'Go' }).click()
    await line(page).waitFor({ state: 'detached' })
    await line(phone.page).waitFor({ state: 'detached' })
    await eventually('the first step is ticked', async () => await panel.locator('input[type=checkbox]').first().isChecked())
    await phone.page.getByText(/1 of 2|1\/2/).first().waitFor()
    over.open()
    await settled(page)
    t.same(wrong(problems, '409'), [])
    t.same(wrong(phone.problems, '409'), [])
  })

  t.test('Shift+Tab in the box switches plan mode, and pressed again leaves the box with everything as it was', async (t) => {
    const s = await startChat(t)
    const id = await s.newSession()
    const { page, problems } = await visitApp(t, s.url, id)
    const isOn = async (): Promise<boolean> => (await s.get(`/api/session?session_id=${id}&messages=0`)).body.session.mode === 'plan'
    await listen(page)
    await box(page).focus()
    await page.keyboard.press('Shift+Tab')
    t.equal(await focusedName(page), 'Message')
    await line(page).waitFor()
    t.ok(await isOn())
    await eventually('it is told', async () => (await told(page)).some((words) => words.startsWith('Plan mode on')))
    await page.keyboard.type('x')
    await page.keyboard.press('Shift+Tab')
    await line(page).waitFor({ state: 'detached' })
    t.notOk(await isOn())
    await page.keyboard.type('y')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Shift+Tab')
    t.not(await focusedName(page), 'Message', 'nobody is caught in the box')
    await page.waitForTimeout(800)
    t.notOk(await isOn(), 'and who only passes through it changes nothing')
    t.same(wrong(problems), [])
  })
})
