import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { answer, say, settled, visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'
import { said, startChat } from '../support/chat.js'

const pictures = process.env.PICTURES

withBrowser(() => {
  t.test('checks are added from what the folder offers, run, lead to the lines, and go to the agent', async (t) => {
    const folder = t.testdir()
    mkdirSync(join(folder, 'home'), { recursive: true })
    mkdirSync(join(folder, 'workspace'), { recursive: true })
    writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
    writeFileSync(join(folder, 'workspace', 'Makefile'), 'lint:\n\t@echo "a.txt:2:1: error: wrong word"; echo "a.txt:3:1: warning: long"; exit 1\n')
    const s = await startChat(t, { folder })
    const model = s.model([{ tool: 'write_file', args: { path: 'a.txt', content: 'one\ntwo\nthree\n' } }], [{ text: 'Written.' }], [{ text: 'Only that.' }], [{ text: 'Mended.' }])
    const id = await s.newSession({ model, model_provider: 'openai' })
    const { page, problems } = await visitApp(t, s.url, id)
    await say(page, 'Write')
    await settled(page)
    const card = page.locator('.change-card')
    await card.getByRole('button', { name: 'Set up checks' }).click()
    const panel = page.getByRole('tabpanel', { name: 'Checks' })
    await panel.getByText('None of these runs until you add it.').waitFor()
    t.same(await violations(page), [])
    await panel.getByRole('button', { name: 'Add make lint' }).click()
    const dialog = page.getByRole('dialog', { name: 'New check' })
    await dialog.getByText('@echo "a.txt:2:1').waitFor()
    t.same(await violations(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Run checks' }).click()
    await card.getByRole('button', { name: '2 problems in 1 file' }).waitFor()
    const row = panel.getByRole('region', { name: 'lint', exact: true })
    await row.getByText('Failed').waitFor()
    await row.getByRole('button', { name: /Error\s*2:1\s*wrong word/ }).waitFor()
    t.same(await violations(page), [])

    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/checks.png` })

    const phone = await visitApp(t, s.url, id, { width: 320, height: 640, isPhone: true })
    await phone.page.locator('.change-card').getByRole('button', { name: '2 problems in 1 file' }).click()
    const there = phone.page.getByRole('region', { name: 'lint', exact: true })
    await there.getByRole('button', { name: /wrong word/ }).waitFor()
    t.ok(await phone.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the window')
    t.same(await violations(phone.page), [])
    if (pictures !== undefined) await phone.page.screenshot({ path: `${pictures}/checks-phone.png` })
    await there.getByRole('button', { name: /wrong word/ }).click()
    await phone.page.getByRole('tabpanel', { name: 'Preview' }).getByText('two').first().waitFor()

    await row.getByRole('checkbox', { name: 'Pick for the agent: long' }).check()
    await row.getByRole('button', { name: 'Ask the agent to fix 1 problem' }).waitFor()
    t.same(await violations(page), [])
    if (pictures !== undefined) await page.screenshot({ path: `${pictures}/checks-picked.png` })
    await row.getByRole('button', { name: 'Ask the agent to fix 1 problem' }).click()
    await answer(page).getByText('Only that.').waitFor()
    t.match(said(s.requests(model).at(-1), 'user').at(-1), /which a person has picked:\n\n- a\.txt:3:1 warning: long$/)
    await row.getByRole('checkbox', { name: 'Pick for the agent: long', checked: false }).waitFor()
    t.equal(await row.getByRole('button', { name: /^Ask the agent to fix 1 problem/ }).count(), 0, 'what was sent is not picked any more')
    await panel.getByRole('button', { name: 'Ask the agent to fix 2 problems' }).click()
    await answer(page).getByText('Mended.').waitFor()
    t.match(said(s.requests(model).at(-1), 'user').at(-1), /## lint\n\n`make lint` failed with exit code 2: 1 error, 1 warning\.\n\n- a\.txt:2:1 error: wrong word/)

    await page.route(/\/api\/checks\?/, async (route) => {
      const response = await route.fetch()
      const { checks: [check], runs: [run], ...rest } = await response.json()
      const second = { check: { ...check, id: 'second', name: 'second' }, run: { ...run, id: 'second', check_id: 'second', errors: 412 } }
      await route.fulfill({ response, json: { ...rest, checks: [check, second.check], runs: [run, second.run] } })
    })
    await page.reload()
    await panel.getByRole('region', { name: 'second', exact: true }).getByText('413 problems').waitFor()
    await row.getByRole('button', { name: /wrong word/ }).waitFor()
    t.equal(await panel.locator('details[open]').count(), 1, 'only the first check with problems is open')
    await panel.getByRole('button', { name: 'Ask the agent to fix this', exact: true }).waitFor()
    await page.unroute(/\/api\/checks\?/)

    writeFileSync(join(folder, 'workspace', 'Makefile'), 'lint:\n\t@touch evil\n')
    await page.reload()
    await panel.getByText('It does not run until you review and save it.').waitFor()
    await panel.getByRole('button', { name: 'Review and save' }).click()
    const again = page.getByRole('dialog', { name: 'Edit check' })
    await again.getByText('@touch evil').waitFor()
    await again.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('button', { name: 'Run lint' }).click()
    await row.getByText('Passed').waitFor()
    t.same(wrong(problems), [])
    t.same(wrong(phone.problems), [])
  })
})
