import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { start } from '../support/app.js'
import { visitWithPanel, withBrowser } from '../support/browser.js'
import { eventually, startChat } from '../support/chat.js'

const hasGit = ((): boolean => {
  try {
    execFileSync('git', ['--version'])
    return true
  } catch {
    return false
  }
})()
const isSkipped = !hasGit && process.env.CI !== 'true' ? 'git is missing' : false

withBrowser(() => {
  t.test('what a turn has written can be looked at and put back', { skip: isSkipped }, async (t) => {
    const s = await startChat(t)
    const model = s.model([{ tool: 'write_file', args: { path: 'plan.txt', content: 'new <i>plan</i>\n' } }], [{ text: 'Written.' }])
    const sessionId = await s.newSession({ model, model_provider: 'openai' })
    await s.post('/api/session/yolo', { session_id: sessionId, enabled: true })
    writeFileSync(join(s.workspace, 'plan.txt'), 'old plan\n')
    const { page, problems } = await visitWithPanel(t, s.url, sessionId)
    await page.fill('#message', 'Plan <b>anew</b>')
    await page.press('#message', 'Enter')
    await page.locator('#settled').getByText('Written.').waitFor()
    await page.getByText('History', { exact: true }).click()
    const point = page.locator('.records li', { hasText: 'Plan <b>anew</b>' })
    await point.getByRole('button', { name: 'What changed since' }).click()
    await point.locator('.diff .removed', { hasText: '-old plan' }).waitFor()
    t.equal(await point.locator('.diff .added').innerText(), '+new <i>plan</i>\n')
    t.equal(await point.locator('i, b').count(), 0)
    await point.getByRole('button', { name: 'Restore' }).click()
    await page.locator('#dialog').getByRole('button', { name: 'Put back' }).click()
    await page.getByText('1 file put back.').waitFor()
    t.equal(readFileSync(join(s.workspace, 'plan.txt'), 'utf8'), 'old plan\n')
    t.same(problems, [])
  })

  t.test('source control: what differs, staged, committed, discarded, on branches', { skip: isSkipped }, async (t) => {
    const s = await start(t, { hosts: 'inproc' })
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: s.workspace, encoding: 'utf8' }).trim()
    const write = (name: string, text: string) => writeFileSync(join(s.workspace, name), text)
    const sessionId = await s.newSession()
    const { page, problems } = await visitWithPanel(t, s.url, sessionId)
    await page.getByText('Nothing in this folder').waitFor()
    t.equal(await page.getByRole('tab', { name: /Changes/ }).isVisible(), false, 'not without a repository')
    git('init', '-q', '-b', 'main')
    git('config', 'user.name', 'Ann')
    git('config', 'user.email', 'ann@example.org')
    write('a.txt', 'one\n')
    write('b.txt', 'one\n')
    git('add', '.')
    git('commit', '-q', '-m', 'First <b>commit</b>')
    git('branch', 'other')
    write('a.txt', 'two <u>x</u>\n')
    write('b.txt', 'two\n')
    write('c.txt', 'new\n')
    await page.reload()
    await page.getByRole('tab', { name: 'Changes 3' }).click()
    const row = (name: string) => page.locator('.change', { has: page.getByText(name, { exact: true }) })
    await row('a.txt').locator('.open').click()
    await page.locator('.diff .added', { hasText: '+two <u>x</u>' }).waitFor()
    t.equal(await page.locator('.diff u').count(), 0)
    await page.getByRole('button', { name: 'Stage a.txt' }).click()
    await page.getByRole('region', { name: 'Staged' }).getByText('a.txt').waitFor()
    t.equal(git('diff', '--cached', '--name-only'), 'a.txt')
    t.equal(await page.getByRole('button', { name: 'Commit 1 staged' }).isDisabled(), true, 'not without a message')
    await page.getByRole('button', { name: 'Write it for me' }).click()
    await eventually('a message', async () => await page.getByLabel('Commit message').inputValue() !== '')
    await page.getByLabel('Commit message').fill('Second commit')
    await page.getByRole('button', { name: 'Commit 1 staged' }).click()
    await page.getByText(/^Committed as [0-9a-f]{7}\.$/).waitFor()
    t.equal(git('log', '-1', '--format=%s'), 'Second commit')
    t.equal(await page.getByLabel('Commit message').inputValue(), '')

    await page.getByRole('checkbox', { name: 'Select c.txt' }).check()
    await page.getByLabel('Commit message').fill('Third commit')
    await page.getByRole('button', { name: 'Commit 1 selected' }).click()
    await page.getByText('Commits', { exact: true }).click()
    const log = page.locator('.records li')
    await log.getByText('Third commit').waitFor()
    await log.getByText('First <b>commit</b>').click()
    await page.locator('.records .diff .added', { hasText: '+one' }).first().waitFor()
    t.equal(git('status', '--porcelain'), 'M b.txt')

    await page.getByText('Branches', { exact: true }).click()
    await page.getByRole('button', { name: 'Switch to other' }).click()
    await page.locator('#dialog').getByRole('button', { name: 'Stash and switch' }).click()
    await page.locator('.branch', { hasText: 'other' }).waitFor()
    t.equal(git('branch', '--show-current'), 'other')
    await page.getByRole('button', { name: 'Switch to main' }).click()
    await page.getByText('What was put aside here is back.').waitFor()
    t.equal(readFileSync(join(s.workspace, 'b.txt'), 'utf8'), 'two\n')
    await page.getByLabel('Name of a new branch').fill('mine')
    await page.getByRole('button', { name: 'Discard the changes of b.txt' }).click()
    await page.locator('#dialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByText('No changes.').waitFor()
    t.equal(readFileSync(join(s.workspace, 'b.txt'), 'utf8'), 'one\n')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('.branch', { hasText: 'mine' }).waitFor()

    await page.getByRole('button', { name: 'Push' }).click()
    await page.locator('#changes .line.wrong', { hasText: /./ }).waitFor()
    t.equal(await page.getByRole('button', { name: 'Push' }).isEnabled(), true)
    t.same(problems.filter((problem) => !/40\d/.test(problem)), [])
  })
})
