import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { box } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'
import { eventually, said, startChat } from '../support/chat.js'
import { emptyRepository } from '../support/git-repository.js'

withBrowser(() => {
  t.test('a task is tried several times, and one result is taken and taken back', async (t) => {
    const service = await startChat(t)
    writeFileSync(join(service.folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
    let begun = 0
    service.endpoint.script((request) => {
      if (said(request, 'system')[0]?.startsWith('Task: compare') === true) return [{ text: '{"best": 2, "reasons": {"1": "It shouts.", "2": "It greets as asked."}}' }]
      if (said(request, 'system')[0]?.startsWith('Task: review') === true) return [{ text: 'It does what was asked.\n- `greeting`, line 1: no comma' }]
      if (!request.stream) return [{ text: 'Greet people' }]
      if (request.messages.some(({ role }) => role === 'tool')) return [{ text: 'The greeting is **better** now.' }]
      const text = ++begun === 1 ? 'HELLO\n' : 'Hello\n'
      return [{ tool: 'write_file', args: { path: 'greeting', content: `${text}${'line\n'.repeat(12)}Bye bye\n` } }, { tool: 'write_file', args: { path: 'notes/new.md', content: 'New\n' } }]
    })
    const repository = emptyRepository(join(service.workspace, 'app'))
    repository.write('greeting', `Hi\n${'line\n'.repeat(12)}Bye\n`)
    repository.commitAll('First')
    const id = await service.newSession({ workspace: repository.root, model: 'scripted-1', model_provider: 'openai' })

    const { page, problems } = await visit(t, `${service.url}/session/${id}`)
    await box(page).fill('Improve the greeting')
    await page.locator('.composer-bar button').first().click()
    await page.getByRole('menuitem', { name: /^Try several times/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Try several times' })
    await dialog.getByLabel('Number of attempts').selectOption('2')
    await dialog.getByText('Check, reviewer and budget').click()
    await dialog.getByLabel(/^Check/).last().fill('grep Hello greeting')
    t.same(await violations(page), [])
    await dialog.getByRole('button', { name: 'Start 2 attempts' }).click()
    const table = page.getByRole('table')
    await table.getByText('Preferred by the judge').waitFor()
    t.match(page.url(), /\/attempts\?attempts=/)
    t.match(await table.innerText(), /Passed/)
    t.match(await table.innerText(), /Failed/)
    const detail = page.getByRole('region', { name: /^2 · scripted-1/ }).or(page.getByRole('region', { name: /^1 · scripted-1/ }))
    await detail.getByText('It greets as asked.').or(detail.getByText('It shouts.')).first().waitFor()
    await detail.getByText('greeting', { exact: true }).first().click()
    await detail.getByRole('button', { name: 'Take hunk' }).nth(1).waitFor()
    t.same(await violations(page), [])
    await detail.getByRole('button', { name: 'Take hunk' }).nth(1).click()
    await eventually('the hunk is there', () => repository.read('greeting') === `Hi\n${'line\n'.repeat(12)}Bye bye\n`)
    await page.getByRole('status').or(page.locator('.toast')).getByRole('button', { name: 'Undo' }).first().click()
    await eventually('it is taken back', () => repository.git('status', '--porcelain') === '')
    await detail.getByRole('button', { name: 'Take', exact: true }).click()
    await page.getByRole('dialog', { name: 'Take this attempt?' }).getByRole('button', { name: 'Take', exact: true }).click()
    await table.getByText('Taken').waitFor()
    t.match(repository.git('status', '--porcelain'), /notes/)
    await page.getByRole('button', { name: 'Undo' }).first().click()
    await eventually('all of it is taken back', () => repository.git('status', '--porcelain') === '')

    const phone = await visit(t, page.url(), { width: 390, height: 844, isPhone: true })
    await phone.page.getByText('Preferred by the judge').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await phone.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      t.same(await violations(phone.page), [], colorScheme)
    }
    t.equal(await phone.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true, 'nothing is wider than a phone')
    await page.getByRole('button', { name: 'Remove worktrees' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove worktrees' }).click()
    await phone.page.getByText('Its worktree was removed.').waitFor()
    t.same([...problems, ...phone.problems], [])
  })
})
