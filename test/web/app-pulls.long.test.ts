import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from '#test'
import { eventually, startChat } from '../support/chat.js'
import { visit, withBrowser } from '../support/browser.js'
import { startForge, token } from '../support/forge.js'
import { emptyRepository } from '../support/git-repository.js'

/** How many taps a person may need from the end of a turn to merged work. */
const mostTaps = 6

withBrowser(() => {
  t.test('on a phone: from a turn that ended to a merged pull request', async (t) => {
    const service = await startChat(t, { env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1' } })
    const forge = await startForge(t)
    const root = join(service.workspace, 'app')
    const bare = join(service.folder, 'app.git')
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare])
    const repository = emptyRepository(root)
    repository.write('greeting', 'Hi\n')
    repository.commitAll('First')
    for (const [key, value] of [['user.name', 'Ann'], ['user.email', 'ann@example.com']] as const) repository.git('config', key, value)
    repository.git('remote', 'add', 'origin', bare)
    repository.git('push', '--quiet', '--set-upstream', 'origin', 'main')
    repository.git('checkout', '--quiet', '-b', 'greet-people')
    repository.git('remote', 'set-url', 'origin', `${forge.url}/team/app.git`)
    repository.git('remote', 'set-url', '--push', 'origin', bare)
    await service.post('/api/forges', { host: forge.host, kind: 'github', url: `${forge.url}/api/v3`, token })
    service.proposeTitle('Greet people\n\nSo that nobody is overlooked.')
    const model = service.model([{ tool: 'write_file', args: { path: 'greeting', content: 'Hello\n' } }], [{ text: 'The greeting is better now.' }], [{ text: 'Looking into it.' }])
    const id = await service.newSession({ workspace: root, model, model_provider: 'openai' })
    await service.post('/api/session/yolo', { session_id: id, enabled: true })
    await service.turn(id, 'Improve the greeting')

    const { page, problems } = await visit(t, `${service.url}/session/${id}`, { width: 390, height: 844, isPhone: true })
    let taps = 0
    const tap = async (name: string): Promise<void> => {
      await page.getByRole('button', { name, exact: true }).last().tap()
      taps++
    }
    await tap('Commit')
    await eventually('a message', async () => await page.locator('.commit-turn textarea').inputValue() !== '')
    await tap('Commit 1 file')
    await eventually('a commit', async () => repository.git('status', '--porcelain') === '')
    await tap('Open a pull request…')
    await eventually('a title', async () => await page.getByLabel('Title').inputValue() === 'Greet people')
    t.equal(await page.getByLabel('Description').inputValue(), 'So that nobody is overlooked.')
    forge.checks = [{ id: 71, name: 'test', state: 'passed', log: '' }]
    forge.branches.set('greet-people', repository.git('rev-parse', 'HEAD'))
    await tap('Push and open')
    await page.getByText('1 check passed').waitFor()
    t.equal(execFileSync('git', ['-C', bare, 'rev-parse', 'greet-people'], { encoding: 'utf8' }).trim(), repository.git('rev-parse', 'HEAD'), 'the commit is there')
    await tap('Merge…')
    await tap('Squash and merge')
    await page.getByText('Merged', { exact: true }).waitFor()
    t.match(forge.pulls, [{ title: 'Greet people', state: 'merged' }])
    t.ok(taps <= mostTaps, `${taps} taps`)
    t.same(problems, [])

    forge.pulls = []
    await service.post('/api/pulls/open', { session_id: id, title: 'Again', base: 'main' })
    const [pull] = forge.pulls
    forge.checks = [{ id: 72, name: 'lint <b>', state: 'failed', log: '\u001b[31merror\u001b[0m greeting:1 too short\n' }, { id: 71, name: 'test', state: 'passed', log: '' }]
    pull?.threads.push({ id: 'T1', path: 'greeting', line: 1, resolved: false, comments: [{ id: 5, author: 'bob', body: 'Say <i>good day</i>, **politely**\nTwice, as `./greeting.txt` does' }] })
    const desk = await visit(t, `${service.url}/session/${id}`)
    await desk.page.getByRole('button', { name: 'Show files and changes' }).click()
    await desk.page.getByRole('tab', { name: /^Changes/ }).click()
    const card = desk.page.getByRole('region', { name: 'Pull request' })
    await desk.page.getByText('1 check failed, 1 check passed').waitFor()
    await desk.page.getByText('lint <b>').click()
    await desk.page.getByText('error greeting:1 too short').waitFor()
    await desk.page.getByText('Say <i>good day</i>, politely').waitFor()
    t.equal(await card.locator('strong', { hasText: 'politely' }).count(), 1, 'comments are Markdown')
    t.match(await card.locator('.pull-text').innerText(), /politely\nTwice/, 'in lines as they were written')
    t.equal(await card.getByRole('button', { name: './greeting.txt' }).count(), 1, 'with links to files')
    await card.getByRole('button', { name: 'Answer', exact: true }).click()
    await desk.page.getByRole('textbox', { name: 'Answer bob' }).fill('Done')
    await card.getByRole('button', { name: 'Send', exact: true }).click()
    await desk.page.getByText('Done', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Resolve' }).click()
    await desk.page.getByText('Comments (1)').waitFor()
    t.match(pull?.threads, [{ resolved: true, comments: [{}, { author: 'ann', body: 'Done' }] }])
    await card.getByRole('button', { name: 'Fix', exact: true }).click()
    await desk.page.getByText('Looking into it.').waitFor()
    t.match(JSON.stringify(service.requests(model).at(-1)), /error greeting:1 too short/)

    // Elsewhere in the app its news are announced, with a link to it.
    await desk.page.goto(`${service.url}/settings/about`)
    await desk.page.getByRole('heading').first().waitFor()
    service.app.db.sqlite.exec('update followed_pulls set next_look_at = 0')
    service.app.pulls.lookForNews()
    const toast = desk.page.locator('.toast')
    await toast.getByText(/^Pull request #12 of “.+”: .*checks failed/).waitFor()
    await toast.getByRole('button', { name: 'Show' }).click()
    await desk.page.getByRole('region', { name: 'Pull request' }).getByText('1 check failed, 1 check passed').waitFor()
    t.match(desk.page.url(), new RegExp(`/session/${id}$`))
    t.same(desk.problems, [])
  })
})
