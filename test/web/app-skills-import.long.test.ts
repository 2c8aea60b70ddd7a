import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { zipOf } from '../support/archives.js'
import { violations } from '../support/axe.js'
import { visit, withBrowser } from '../support/browser.js'

const skillText = (name: string, body: string): string => `---\nname: ${name}\ndescription: About ${name}\n---\n\n${body}\n`

withBrowser(() => {
  t.test('skills of an archive and of a folder are seen before they are saved, never replaced unasked, taken back, and exported', async (t) => {
    const s = await start(t)
    const saved = (name: string): string => readFileSync(join(s.folder, 'home', 'skills', name, 'SKILL.md'), 'utf8')
    await s.post('/api/skills/save', { name: 'helper', content: skillText('helper', 'Mine.') })
    const { page, problems } = await visit(t, `${s.url}/skills`)
    const dialog = page.getByRole('dialog', { name: 'Import skills' })
    const openImport = async (): Promise<void> => {
      await page.getByRole('button', { name: 'More', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Import…' }).click()
    }
    await openImport()
    await dialog.getByLabel('Choose an archive…').last().setInputFiles({
      name: 'pack.zip', mimeType: 'application/zip', buffer: zipOf([
        { name: 'README.md', content: 'x' }, { name: 'helper/SKILL.md', content: skillText('helper', 'Theirs.') }, { name: 'helper/scripts/run.sh', content: '#!/bin/sh\n', mode: 0o100755 },
        { name: 'odd/SKILL.md', content: 'No front matter.' }, { name: 'broken/SKILL.md', content: Buffer.from([0xff]) }
      ])
    })
    await dialog.getByText('You have a skill of this name, with other files.').waitFor()
    await dialog.getByText('1 script').waitFor()
    await dialog.getByText('The front matter has no name.').waitFor()
    await dialog.getByText('It cannot be imported: This file is not text').waitFor()
    await dialog.getByText('1 other file belongs to no skill.').waitFor()
    await dialog.getByText('2 files').click()
    await dialog.getByText('scripts/run.sh').waitFor()
    t.same(await violations(page), [])
    const importing = dialog.getByRole('button', { name: /^Import \d skills?$/ })
    await importing.click()
    await dialog.getByText('Choose what to do with it.').waitFor()
    t.equal(await page.evaluate('document.activeElement.getAttribute("aria-invalid")'), 'true', 'a person has to choose')
    await dialog.getByLabel('What to do with helper').selectOption('Replace mine')
    t.equal(await importing.textContent(), 'Import 2 skills')
    await importing.click()
    await page.getByText('Imported: broken').or(page.getByText('Imported: helper, odd')).waitFor()
    t.match(saved('helper'), /Theirs\./)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'odd', exact: true }).waitFor({ state: 'detached' })
    t.match(saved('helper'), /Mine\./)

    mkdirSync(join(s.folder, 'chosen', 'tidy', 'references'), { recursive: true })
    writeFileSync(join(s.folder, 'chosen', 'tidy', 'SKILL.md'), skillText('tidy', 'Tidy up.'))
    writeFileSync(join(s.folder, 'chosen', 'tidy', 'references', 'a.md'), 'A')
    await openImport()
    await dialog.getByLabel('Choose a folder…').last().setInputFiles(join(s.folder, 'chosen'))
    await dialog.getByText('About tidy').waitFor()
    await importing.click()
    await page.getByRole('button', { name: 'tidy', exact: true }).click()
    t.match(saved('tidy'), /Tidy up\./)
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export', exact: true }).click()])
    t.equal(file.suggestedFilename(), 'tidy.zip')
    t.same(problems, [])
  })
})
