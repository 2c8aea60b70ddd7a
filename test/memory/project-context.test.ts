import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { projectContexts } from '../../services/agent/index.js'
import { start } from '../support/app.js'
import { startChat } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'

t.test('the first file of rules counts, the nearest folder before those above it', async (t) => {
  const root = temporaryFolder(t, 'rules-')
  const folder = join(root, 'a', 'b')
  mkdirSync(join(folder, '.cursor', 'rules'), { recursive: true })
  const put = (path: string, text: string): void => writeFileSync(join(root, path), text)
  t.same(projectContexts(folder), { inForce: null, shadowed: [] })
  put('AGENTS.md', 'above')
  t.equal(projectContexts(folder).inForce, null, 'nothing above counts where there is no repository')
  mkdirSync(join(root, '.git'))
  t.match(projectContexts(folder), { inForce: { text: 'above', path: join(root, 'AGENTS.md'), name: 'AGENTS.md' }, shadowed: [] })
  put('a/b/.cursor/rules/2.mdc', 'second')
  put('a/b/.cursor/rules/1.mdc', '---\nalwaysApply: true\n---\nfirst')
  put('a/b/.cursor/rules/note.txt', 'no rule')
  t.match(projectContexts(folder), { inForce: { text: 'first\n\nsecond', name: join('.cursor', 'rules') }, shadowed: [join(root, 'AGENTS.md')] })
  put('a/b/.cursorrules', 'cursor')
  put('a/b/CLAUDE.md', '---\nx: y\n---\n\nother agent\n')
  t.match(projectContexts(folder), {
    inForce: { text: 'other agent', name: 'CLAUDE.md', files: [join(folder, 'CLAUDE.md')] },
    shadowed: [join(folder, '.cursorrules'), join(folder, '.cursor', 'rules'), join(root, 'AGENTS.md')]
  })
  put('a/b/AGENTS.md', '  \n')
  t.equal(projectContexts(folder).inForce?.name, 'CLAUDE.md', 'an empty one says nothing')
  rmSync(join(folder, 'AGENTS.md'))
  symlinkSync('/etc/hostname', join(folder, 'AGENTS.md'))
  t.equal(projectContexts(folder).inForce?.name, 'CLAUDE.md', 'a link is nobody\'s rule')
  put('a/b/CLAUDE.md', 'ä'.repeat(15_000))
  t.equal(projectContexts(folder).inForce?.text, 'ä'.repeat(10_000), 'so much of it, and no half of a character')
  mkdirSync(join(root, 'a', '.git'))
  t.notMatch(projectContexts(folder).shadowed.join(), `${root}/AGENTS.md`, 'no further than the root of the repository')
  t.same(projectContexts('/nowhere/at/all'), { inForce: null, shadowed: [] })
})

t.test('what is shown is what the model is told', async (t) => {
  const service = await startChat(t)
  const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'
  writeFileSync(join(service.workspace, 'CLAUDE.md'), `Be brief. ${key}`)
  writeFileSync(join(service.workspace, '.cursorrules'), 'Be long.')
  const id = await service.newSession()
  t.match((await service.get(`/api/memory?session_id=${id}`)).body, {
    project_context: 'Be brief. [redacted]', project_context_name: 'CLAUDE.md', project_context_workspace: service.workspace,
    project_context_path: join(service.workspace, 'CLAUDE.md'), project_context_mtime: Number, project_context_shadowed: [join(service.workspace, '.cursorrules')]
  })
  const model = service.model([{ text: 'Yes.' }])
  await service.turn(id, 'Hello', model)
  t.match(JSON.stringify(service.requests(model)[0]!.messages), /Rules of this workspace \(from CLAUDE.md\):\\nBe brief/)
})

t.test('notes of other programs are counted as settings say', async (t) => {
  const service = await start(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'memory: 5\nwebui_external_notes_sources: {}\n')
  t.match((await service.get('/api/memory')).body, { external_notes_enabled: false, memory_path: String })
})
