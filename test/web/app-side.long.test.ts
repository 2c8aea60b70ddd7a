import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Locator, type Page } from 'playwright-core'
import t, { type Test } from '#test'
import { start, type TestService } from '../support/app.js'
import { violations } from '../support/axe.js'
import { dropFile, visit, withBrowser, type Visitor } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { needsGit } from '../support/git-repository.js'

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

const service = (t: Test): Promise<TestService> => start(t, { hosts: 'inproc', demoWordsPerSecond: 200 })
const file = (page: Page, name: string): Locator => page.getByRole('button', { name: `File ${name}`, exact: true })
const folder = (page: Page, name: string): Locator => page.getByRole('button', { name: `Folder ${name}`, exact: true })
const names = async (page: Page): Promise<string[]> => await page.locator('.entry-name').allInnerTexts()
const listed = (page: Page, wanted: string[]) => eventually(`a list of ${wanted.join()}`, async () => (await names(page)).join() === wanted.join())
const focused = async (page: Page): Promise<string | null> => await page.evaluate('document.activeElement.getAttribute("aria-label")')
const tab = (page: Page, name: string | RegExp): Locator => page.getByRole('tab', { name })

async function visitPanel (t: Test, s: TestService, size?: { width: number, height: number }): Promise<Visitor> {
  const visitor = await visit(t, `${s.url}/session/${await s.newSession()}`, size)
  await visitor.page.getByRole('button', { name: 'Show files and changes' }).click()
  await visitor.page.locator('.crumbs').waitFor()
  return visitor
}

/** What is wrong for people who do not see or point: in the panel, in both themes. */
async function sound (t: Test, page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // The rest of the page has tests of its own.
    t.same((await violations(page)).filter((one) => !one.includes('.rail-')), [], `${what}, ${colorScheme}`)
  }
}

/** Chooses from the list that the button beside a name opens. */
async function choose (page: Page, name: string, deed: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: deed }).click()
}

async function create (page: Page, deed: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('menuitem', { name: deed }).click()
  await answer(page, name)
}

async function answer (page: Page, text: string): Promise<void> {
  await page.locator('dialog input').fill(text)
  await page.locator('dialog input').press('Enter')
}

withBrowser(() => {
  t.test('files are walked through and shown as what they are, whatever they are called', async (t) => {
    const s = await service(t)
    const write = (name: string, content: string | Buffer): void => writeFileSync(join(s.workspace, name), content)
    mkdirSync(join(s.workspace, 'src'))
    write('src/code.js', 'let a = "<img src=x onerror=alert(1)>"\n// \u202eturned\n')
    write('<b>bold<b>', 'x')
    write('two\nlines', 'x')
    write('x'.repeat(250), 'x')
    write('dot.png', png)
    write('bytes.bin', Buffer.from([0, 1, 2, 255]))
    write('table.csv', 'name,count\n<i>a</i>,2\n')
    write('text.md', '# Title\n\n**bold** <script>alert(1)</script>\n')
    symlinkSync('/etc', join(s.workspace, 'outside'))
    const { page, problems } = await visitPanel(t, s)
    await file(page, 'dot.png').waitFor()
    await sound(t, page, 'the list')
    t.ok((await names(page)).includes('two\\nlines'))
    t.equal(await page.locator('.entry b').count(), 0)
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    t.equal(await page.getByRole('button', { name: /^F\w+ outside/ }).count(), 0, 'what leads outside cannot be opened')
    await folder(page, 'src').click()
    await listed(page, ['code.js'])
    t.equal(await page.evaluate('document.activeElement.textContent'), 'src', 'the focus goes along')
    await file(page, 'code.js').click()
    await page.locator('.numbered-text').getByText('<img src=x onerror=alert(1)>').waitFor()
    t.match(await page.locator('.numbered-text').innerText(), '\\u202eturned')
    t.equal(await page.locator('.numbered-numbers').innerText(), '1\n2')
    await page.getByRole('button', { name: 'Browse files' }).click()
    await eventually('the focus on the file', async () => await focused(page) === 'File code.js')
    await page.getByRole('button', { name: 'Workspace', exact: true }).click()
    for (const [name, seen] of [['dot.png', '.preview-medium img'], ['table.csv', '.cells td'], ['text.md', '.markdown strong'], ['bytes.bin', '.state']] as const) {
      await file(page, name).click()
      await page.locator(seen).first().waitFor()
      await page.getByRole('button', { name: 'Browse files' }).click()
    }
    await file(page, 'bytes.bin').waitFor()
    await file(page, 'bytes.bin').press('Home')
    await eventually('keys lead through the list', async () => await page.evaluate('document.activeElement.closest(".entry")?.dataset.path') === 'src')
    await page.keyboard.press('Escape')
    await page.locator('.side').waitFor({ state: 'detached' })
    t.equal(await focused(page), 'Show files and changes')
    t.same(problems.filter((problem) => !/40\d/.test(problem)), [])
  })

  t.test('files are made, renamed, deleted, taken back, uploaded and dropped, and edited without losing what others write', async (t) => {
    const s = await service(t)
    const at = (name: string): string => join(s.workspace, name)
    const { page, problems } = await visitPanel(t, s)
    await page.getByText('This folder is empty').waitFor()
    await create(page, 'New folder', 'box')
    await folder(page, 'box').waitFor()
    await create(page, 'New file', 'box')
    await page.locator('dialog .field-error').getByText(/already/).waitFor()
    await page.keyboard.press('Escape')
    await create(page, 'New file', 'a.txt')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Text of a.txt').fill('mine\n')
    writeFileSync(at('a.txt'), 'theirs\n')
    await page.getByText('Someone else changed this file').waitFor()
    t.equal(readFileSync(at('a.txt'), 'utf8'), 'theirs\n')
    await page.getByRole('button', { name: 'Save anyway' }).click()
    await page.getByText('Saved.').waitFor()
    t.equal(readFileSync(at('a.txt'), 'utf8'), 'mine\n')
    writeFileSync(at('a.txt'), 'seen at once\n')
    await page.locator('.numbered-text').getByText('seen at once').waitFor()
    await page.getByRole('button', { name: 'Browse files' }).click()

    await choose(page, 'a.txt', 'Rename')
    await answer(page, 'b.txt')
    await listed(page, ['box', 'b.txt'])
    await choose(page, 'b.txt', 'Move')
    await answer(page, 'box')
    await listed(page, ['box'])
    await choose(page, 'box', 'Delete')
    await listed(page, [])
    await page.locator('.toast', { hasText: 'box is deleted' }).getByRole('button', { name: 'Undo' }).click()
    await listed(page, ['box'])
    t.ok(existsSync(at('box/b.txt')))
    await page.setInputFiles('.files-picker', [{ name: 'up.txt', mimeType: 'text/plain', buffer: Buffer.from('up') }])
    await file(page, 'up.txt').waitFor()
    await dropFile(page, '.files', 'dropped.txt')
    await file(page, 'dropped.txt').waitFor()
    await page.setInputFiles('.files-archive-picker', { name: 'broken.zip', mimeType: 'application/zip', buffer: Buffer.from('no') })
    await page.locator('.upload-failed').getByRole('button', { name: 'Dismiss broken.zip' }).click()
    await page.locator('.upload-failed').waitFor({ state: 'detached' })
    t.same(problems.filter((problem) => !/40\d/.test(problem)), [])
  })

  t.test('what differs is staged, committed and discarded, with the way back', needsGit, async (t) => {
    const s = await service(t)
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: s.workspace, encoding: 'utf8' }).trim()
    const write = (name: string, text: string): void => writeFileSync(join(s.workspace, name), text)
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
    const { page, problems } = await visitPanel(t, s)
    await tab(page, 'Changes 2').click()
    await page.locator('.change-open', { hasText: 'a.txt' }).click()
    await page.locator('.diff-add', { hasText: 'two <u>x</u>' }).waitFor()
    await sound(t, page, 'the changes')
    await page.getByRole('button', { name: 'Stage a.txt' }).click()
    await page.getByRole('region', { name: 'Staged' }).getByText('a.txt').first().waitFor()
    t.equal(await page.getByRole('button', { name: 'Commit 1 staged' }).isDisabled(), true, 'not without a message')
    await page.getByRole('button', { name: 'Write it for me' }).click()
    await eventually('a message', async () => await page.getByLabel('Commit message').inputValue() !== '')
    await page.getByLabel('Commit message').fill('Second commit')
    await page.getByRole('button', { name: 'Commit 1 staged' }).click()
    await page.getByText(/^Committed as [0-9a-f]{7}\.$/).waitFor()
    await page.getByRole('button', { name: 'Discard the changes in b.txt' }).click()
    await page.getByText('No changes', { exact: true }).waitFor()
    await page.locator('.toast', { hasText: 'b.txt' }).getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('region', { name: 'Changes', exact: true }).getByText('b.txt').first().waitFor()
    t.equal(readFileSync(join(s.workspace, 'b.txt'), 'utf8'), 'two\n')
    await page.getByRole('button', { name: 'main', exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: /^other/ }).click()
    await page.getByRole('button', { name: 'Stash and switch' }).click()
    await page.getByRole('button', { name: 'other', exact: true }).waitFor()
    t.equal(git('branch', '--show-current'), 'other')
    await page.getByText('Commits', { exact: true }).click()
    await page.getByText('First <b>commit</b>').click()
    await page.locator('.commit-detail .diff-add', { hasText: 'one' }).first().waitFor()
    await page.getByRole('button', { name: 'Push' }).click()
    await page.locator('.changes .side-problem').waitFor()
    await tab(page, 'Checkpoints').click()
    await page.getByText('No checkpoints yet').waitFor()
    t.same(problems.filter((problem) => !/40\d/.test(problem)), [])
  })

  t.test('on a phone the panel is a page of its own: what lies over it closes first', async (t) => {
    const s = await service(t)
    writeFileSync(join(s.workspace, `${'long '.repeat(40)}name.txt`), 'x')
    const { page, problems } = await visitPanel(t, s, { width: 390, height: 844 })
    await page.locator('.entry').waitFor()
    t.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    await sound(t, page, 'the list on a phone')
    t.equal(await page.evaluate('document.querySelector(".files").scrollWidth > document.querySelector(".files").clientWidth'), false)
    await page.getByRole('button', { name: /Actions for long/ }).click()
    await page.getByRole('menuitem', { name: 'Download' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menuitem', { name: 'Download' }).waitFor({ state: 'detached' })
    t.equal(await page.locator('.files').isVisible(), true, 'the menu first')
    await page.keyboard.press('Escape')
    await page.locator('.files').waitFor({ state: 'detached' })
    await eventually('the focus on what opened it', async () => await focused(page) === 'Show files and changes')
    t.same(problems.filter((problem) => !/40\d/.test(problem)), [])
  })

  t.test('a new chat works in the folder that was chosen for it', async (t) => {
    const s = await service(t)
    const { page, problems } = await visit(t, `${s.url}/`)
    await page.getByRole('button', { name: 'Folder of this chat' }).click()
    await page.getByLabel('Folder path').fill(join(s.folder, 'other'))
    await page.getByRole('button', { name: 'Use this folder' }).click()
    await page.locator('dialog [role=alert]').waitFor()
    await page.getByText('Create the folder if it does not exist').click()
    await page.getByRole('button', { name: 'Use this folder' }).click()
    await page.getByRole('button', { name: 'Folder of this chat: other' }).click()
    await page.locator('.folder-pick[aria-current]', { hasText: 'other' }).waitFor()
    await page.getByRole('button', { name: 'Actions for other' }).click()
    await page.getByRole('menuitem', { name: 'Remove other from the list' }).click()
    await eventually('one folder', async () => (await s.get('/api/workspaces')).body.workspaces.length === 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually('both folders', async () => (await s.get('/api/workspaces')).body.workspaces.length === 2)
    t.same(problems.filter((problem) => !/40\d/.test(problem)), [])
  })
})
