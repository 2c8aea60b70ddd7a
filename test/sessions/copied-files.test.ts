import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'

t.test('the files of a branch or a copy come after its row, by which a start after a kill finds and removes them', async (t) => {
  const service = await start(t)
  const folder = (id: string): string => join(service.folder, 'home', 'webui', 'attachments', id)
  const messages = [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Hello.' }]
  const { body: { session: { session_id: id } } } = await service.post('/api/session/import', { messages })
  mkdirSync(folder(id), { recursive: true })
  writeFileSync(join(folder(id), 'a.txt'), 'text')

  const { sqlite } = service.app.db
  const early: string[] = []
  sqlite.function('look', (made) => {
    if (existsSync(folder(String(made)))) early.push(String(made))
    return null
  })
  sqlite.exec('create temp trigger made after insert on sessions begin select look(new.id); end')
  const branch = (await service.post('/api/session/branch', { session_id: id })).body.session_id
  const nothing = (await service.post('/api/session/branch', { session_id: id, keep_count: 0 })).body.session_id
  const copy = (await service.post('/api/session/duplicate', { session_id: id })).body.session.session_id
  t.same(early, [])
  for (const made of [branch, nothing, copy]) t.same(readdirSync(folder(made)), ['a.txt'])
  t.same((await service.session(branch)).messages.map(({ content }: { content: string }) => content), ['Hello', 'Hello.'])
  t.equal((await service.session(nothing)).message_count, 0)
})
