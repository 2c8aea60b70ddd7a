import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from '#test'
import { zipOf } from '../support/archives.js'
import { formBytes, formType } from '../support/forms.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

t.test('killed between request and answer, at any moment: what is sent again under the same id is there once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'service-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const endpoint = await modelEndpoint(t)
  endpoint.script(() => [{ text: 'Done.' }])
  const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
  let server = await spawnServer(t, folder, env)
  const { session: { session_id: id } } = await server.json('/api/session/new', {})

  const upload = async ({ url }: ServerProcess, name: string): Promise<Record<string, unknown>> => {
    const body = new Uint8Array(formBytes([{ name: 'session_id', content: id }, { name: 'client_id', content: `file ${name}` }, { name: 'file', filename: `${name}.txt`, content: name.repeat(200_000) }]))
    return await (await fetch(`${url}/api/upload`, { method: 'POST', headers: { 'content-type': formType }, body })).json() as Record<string, unknown>
  }
  const unpack = async ({ url }: ServerProcess, name: string): Promise<Record<string, unknown>> => {
    const archive = zipOf([...Array(50).keys()].map((index) => ({ name: `${index}.txt`, content: name.repeat(2_000) })))
    const body = new Uint8Array(formBytes([{ name: 'session_id', content: id }, { name: 'client_id', content: `archive ${name}` }, { name: 'file', filename: `${name}.zip`, content: archive }]))
    return await (await fetch(`${url}/api/upload/extract`, { method: 'POST', headers: { 'content-type': formType }, body })).json() as Record<string, unknown>
  }
  const sent: Array<[clientId: string, send: (server: ServerProcess) => Promise<Record<string, unknown>>]> = []
  for (const round of [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 14]) {
    const send: typeof sent[number][1] = round % 3 === 0
      ? async (server) => await server.json('/api/background', { session_id: id, prompt: `sk-Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7jKl0n ${round}`, client_id: `task ${round}` })
      : async (server) => await (round % 3 === 1 ? upload(server, `file-${round}`) : unpack(server, `archive-${round}`))
    sent.push([`${round}`, send])
    // The answer is not awaited: the service dies while it works on the request, or a moment later.
    const answered = send(server).catch(() => null)
    await new Promise((resolve) => setTimeout(resolve, round * 4))
    await server.crash()
    const before = await answered
    server = await spawnServer(t, folder, env)
    const first = await send(server)
    t.ok(first.task_id ?? first.path ?? first.dest, JSON.stringify(first))
    if (before !== null) t.same(first, before, 'what was answered stays the answer')
    await server.crash()
    server = await spawnServer(t, folder, env)
    t.same(await send(server), first)
  }
  await server.end('SIGTERM')
  t.same(readdirSync(join(folder, 'home', 'webui', 'attachments', id)).toSorted(), ['file-1.txt', 'file-4.txt', 'file-7.txt'])
  t.same(readdirSync(join(folder, 'workspace')).filter((name) => name.includes('archive-') || name.startsWith('.agent-')).toSorted(), ['archive-11', 'archive-14', 'archive-2', 'archive-5', 'archive-8'])
  const database = new Sqlite(join(folder, 'home', 'webui', 'service.db'), { readonly: true })
  t.teardown(() => database.close())
  t.equal(database.prepare('select count(*) from background_tasks').pluck().get(), 3)
})
