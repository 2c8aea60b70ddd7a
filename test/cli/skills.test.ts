import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type CommandLine } from '../../cli/command.js'
import { run as exporting } from '../../cli/commands/skills-export.js'
import { run as importing } from '../../cli/commands/skills-import.js'
import { run as listing } from '../../cli/commands/skills-list.js'
import { run as undoing } from '../../cli/commands/skills-undo.js'
import { start } from '../support/app.js'

const service = await start(t)
await service.app.console.listen()
process.env['SVC_HOME'] = join(service.folder, 'home')
process.env['SVC_WEBUI_STATE_DIR'] = service.app.config.stateDir
const asked = (operands: string[], options: CommandLine['options'] = {}): CommandLine => ({ operands, options, isJson: false })
const at = (...parts: string[]): string => join(service.folder, ...parts)
const saved = (name: string): string => readFileSync(at('home', 'skills', name, 'SKILL.md'), 'utf8')

t.test('skills are imported from a folder, listed, exported, and taken back', async (t) => {
  mkdirSync(at('made', 'tidy', 'scripts'), { recursive: true })
  writeFileSync(at('made', 'tidy', 'SKILL.md'), '---\nname: tidy\ndescription: Tidies up\n---\n\nTidy.\n')
  writeFileSync(at('made', 'tidy', 'scripts', 'a.sh'), '#!/bin/sh\n', { mode: 0o755 })
  mkdirSync(at('made', 'tidy', '.git'))
  const checked = await importing(asked([at('made')], { check: true }))
  t.match(checked?.text, /^tidy: Tidies up \(2 files\)\n {2}Scripts: scripts\/a\.sh$/)
  t.notOk(existsSync(at('home', 'skills', 'tidy')))
  const done = await importing(asked([at('made')]))
  t.match(done?.text, /Imported tidy \(tidy\/SKILL\.md\)\nTo undo this within a day: .*skills undo [0-9a-f]{24}$/)
  t.match(saved('tidy'), /Tidy\./)
  t.match((await listing(asked([])))?.text, /^NAME +ORIGIN +STATE +DESCRIPTION\n[^]*^tidy +profile +on +Tidies up$/m)

  t.match((await exporting(asked(['tidy'], { output: at('tidy.zip') })))?.text, /^Exported 1 skill to .*tidy\.zip$/)
  await t.rejects(exporting(asked(['tidy'], { output: at('tidy.zip') })), { name: 'CommandFailed', message: /exists already/, exitCode: 1 })
  await t.rejects(exporting(asked(['nobody'], { output: at('none.zip') })), { name: 'CommandFailed', message: /Skill not found/ })

  await t.rejects(importing(asked([at('tidy.zip')])), { name: 'CommandFailed', message: /already has: tidy\. Nothing was imported/, exitCode: 1 })
  await t.rejects(importing(asked([at('tidy.zip')], { 'on-conflict': 'skip' })), { name: 'CommandFailed', message: /^Nothing was imported/ })
  t.match((await importing(asked([at('tidy.zip')], { 'on-conflict': 'keep-both', category: 'more' })))?.value, { imported: [{ name: 'tidy-2', path: 'more/tidy-2/SKILL.md' }] })
  writeFileSync(at('home', 'skills', 'tidy', 'SKILL.md'), 'Mine.\n')
  const replaced = await importing(asked([at('tidy.zip')], { 'on-conflict': 'replace' }))
  t.match(replaced?.value, { imported: [{ name: 'tidy', replaced: true }] })
  t.match(await undoing(asked([String(Reflect.get(Object(replaced?.value), 'undo'))])), { text: 'Restored: tidy' })
  t.equal(saved('tidy'), 'Mine.\n')
})

t.test('what cannot be imported is named', async (t) => {
  mkdirSync(at('linked'))
  symlinkSync('/etc/passwd', at('linked', 'SKILL.md'))
  const refused: ReadonlyArray<readonly [path: string, message: RegExp]> = [
    [at('linked'), /is a link/], [at('nowhere'), /neither a file nor a folder/], [at('home', 'skills', 'tidy', 'SKILL.md'), /cannot be unpacked/]
  ]
  for (const [path, message] of refused) await t.rejects(importing(asked([path])), { name: 'CommandFailed', message })
  await t.rejects(importing(asked([])), { exitCode: 2 })
  await t.rejects(importing(asked([at('made')], { 'on-conflict': 'maybe' })), { exitCode: 2 })
  await t.rejects(undoing(asked(['f'.repeat(24)])), { name: 'CommandFailed', message: /no longer kept/ })
})
