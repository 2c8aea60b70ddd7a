import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { startChat } from '../../support/chat.js'
import { createMentions } from '../../../services/areas/sessions/mentions.js'

const service = await startChat(t)
// Neither in a workspace nor in the folder for temporary files.
const folder = mkdtempSync('/var/tmp/media-')
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const path = (name: string): string => join(folder, name)
for (const name of ['a.pdf', 'a.html', 'a.png']) writeFileSync(path(name), 'not for everybody')
const media = async (id: string, name: string, headers: Record<string, string> = {}) => (await service.get(`/api/media?${new URLSearchParams({ session_id: id, path: path(name) }).toString()}`, headers)).status
const kinds = ['a.pdf', 'a.html', 'a.png']
const all = async (id: string, headers?: Record<string, string>) => await Promise.all(kinds.map(async (name) => await media(id, name, headers)))
const paths = kinds.map(path).join(' ')

t.test('what somebody types opens no file, wherever it is put and whoever repeats it', async (t) => {
  const id = await service.newSession()
  await service.turn(id, `Look at ${paths}`, service.model([{ text: 'I cannot.' }]))
  t.same(await all(id), [403, 403, 403], 'a message')
  await service.turn(id, 'And now?', service.model([{ text: `Here it is: MEDIA:${path('a.pdf')} ![](${path('a.html')}) \`${path('a.png')}\`` }]))
  t.same(await all(id), [403, 403, 403], 'an answer that only repeats it')

  const attached = await service.newSession()
  await service.send(attached, 'Look', { attachments: kinds.map((name) => ({ name, path: path(name), mime: 'image/png', is_image: true })) })
  t.same(await all(attached), [403, 403, 403], 'attachments')

  const titled = await service.newSession()
  await service.post('/api/session/rename', { session_id: titled, title: paths })
  t.same(await all(titled), [403, 403, 403], 'a title')

  const imported = (await service.post('/api/session/import', {
    title: 'Brought along', messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: paths }, { role: 'assistant', content: '', tool_calls: [{ id: 'x', type: 'function', function: { name: 'read_file', arguments: JSON.stringify({ path: path('a.pdf') }) } }] }, { role: 'tool', tool_call_id: 'x', name: 'read_file', content: paths }]
  })).body.session.session_id as string
  t.same(await all(imported), [403, 403, 403], 'an imported conversation')

  const spoken = await service.post('/v1/chat/completions', { model: service.model([{ text: 'Yes.' }]), messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: paths }, { role: 'user', content: 'Go on' }] })
  t.same(await all(spoken.headers.get('x-session-id')!), [403, 403, 403], 'an answer that a client has made up')
})

t.test('what the agent names by itself opens, for people; tokens that may not do everything see workspaces and attachments', async (t) => {
  const id = await service.newSession()
  await service.turn(id, 'Make something', service.model([{ text: `Here: ![](${path('a.pdf')}) [page](${path('a.html')}) and ${path('a.png')}.` }]))
  t.same(await all(id), [200, 200, 200])
  const branch = (await service.post('/api/session/branch', { session_id: id })).body.session_id as string
  t.same(await all(branch), [200, 200, 200], 'also in a copy of the conversation')
  writeFileSync(join(service.workspace, 'in.png'), 'of the project')
  const tokens = await Promise.all((['read', 'chat', 'approve', 'admin'] as const).map(async (scope) => (await service.post('/api/auth/tokens/create', { name: scope, scope })).body.token as string))
  for (const [place, token] of tokens.entries()) {
    const authorization = { authorization: `Bearer ${token}` }
    const isAll = place === 3
    t.same(await all(id, authorization), Array(3).fill(isAll ? 200 : 403))
    t.equal((await service.get(`/api/media?session_id=${id}&path=${encodeURIComponent(join(service.workspace, 'in.png'))}`, authorization)).status, 200)
    writeFileSync(join(service.folder, 'home', 'home.png'), 'of the profile')
    t.equal((await service.get(`/api/media?session_id=${id}&path=${encodeURIComponent(join(service.folder, 'home', 'home.png'))}`, authorization)).status, isAll ? 200 : 403)
  }
})

t.test('of tools, results count and calls that did something, but no answers of people and no failures', async (t) => {
  const { db, sessions } = service.app
  const mentions = createMentions(db)
  const row = async (message: Record<string, unknown>, isAgents = true): Promise<boolean> => {
    const id = await service.newSession()
    const { role, content, card, ...fields } = message as { role: 'user' | 'assistant' | 'tool' | 'system', content: string, card?: Record<string, unknown> }
    db.transaction(() => sessions.transcript.append(id, 0, { role, content, fields, ...(isAgents ? { streamId: 'a stream' } : {}), ...(card === undefined ? {} : { card: card as never }) } as never))
    return mentions(id, '/x/a.png')
  }
  t.equal(await row({ role: 'tool', name: 'terminal', content: 'made /x/a.png' }), true)
  t.equal(await row({ role: 'tool', name: 'terminal', content: '', card: { name: 'terminal', args: { command: 'plot > /x/a.png' } } }), true)
  t.equal(await row({ role: 'tool', name: 'terminal', content: 'no /x/a.png', is_error: true }), false)
  t.equal(await row({ role: 'tool', name: 'clarify', content: '/x/a.png' }), false)
  t.equal(await row({ role: 'tool', name: 'terminal', content: 'made /x/a.png' }, false), false)
  t.equal(await row({ role: 'system', content: '/x/a.png' }), false)
  t.equal(await row({ role: 'user', content: '/x/a.png' }), false, 'such as a text that was steered in')
  t.equal(await row({ role: 'assistant', content: '/x/a.png' }), true)
})
