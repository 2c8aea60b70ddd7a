import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { spawnServer } from '../support/server.js'

t.test('a password that was acknowledged outlives a kill, and so does its end', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'passwords-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const change = async (body: object, cookie = '') => {
    const server = await spawnServer(t, folder)
    const answer = await fetch(`${server.url}/api/settings`, { method: 'POST', headers: { 'content-type': 'application/json', cookie }, body: JSON.stringify(body) })
    await server.end('SIGKILL')
    return answer
  }
  const seen = async (cookie: string) => {
    const server = await spawnServer(t, folder)
    const status = await server.json('/api/auth/status', undefined, { cookie })
    await server.end('SIGKILL')
    return status
  }
  const first = await change({ _set_password: 'one' })
  const cookie = first.headers.get('set-cookie')!.split(';')[0]!
  t.match(await seen(cookie), { auth_enabled: true, logged_in: true })
  const second = await change({ _set_password: 'two', _current_password: 'one' }, cookie)
  t.equal(second.status, 200)
  t.match(await seen(cookie), { auth_enabled: true, logged_in: false })
  t.equal((await change({ _clear_password: true, _current_password: 'two' }, second.headers.get('set-cookie')!.split(';')[0])).status, 200)
  t.match(await seen(''), { auth_enabled: false, authenticated: true })
})
