import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createMachineApp } from '../../machine/app.js'
import { createAnswers } from '../../machine/answers.js'
import { createWatches } from '../../machine/watches.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { joinPresent, startJoinable } from '../support/present-machine.js'
import { needs } from '../support/programs.js'

/** Creates the watchers of a machine called `big`, as its program does. It can join again after it has left. */
async function joinBig (t: TestLike, service: TestService, link: NatsLink, folder: string, lapseMs?: number) {
  const [opened, stateDir] = [join(folder, 'opened'), join(folder, 'state')]
  for (const path of [opened, stateDir]) if (!existsSync(path)) mkdirSync(path, { recursive: true })
  const app = await createMachineApp({ stateDir, home: join(folder, 'home'), workspaces: [opened], maxUploadBytes: 1, env: {} })
  const watches = createWatches({ link, machine: 'big', watch: app.app.files.watch, territory: app.territory, lapseMs, log: () => {} })
  const present = await joinPresent(t, service, link, { ...createAnswers({ name: 'big', workspaces: [opened], stateDir, reserved: [stateDir] }), ...watches.answers })
  let isOver = false
  const leave = async (): Promise<void> => {
    if (isOver) return
    isOver = true
    await present.leave()
    watches.close()
    await app.close()
  }
  t.teardown(leave)
  return { opened, watches, leave, watched: app.app.files.watch.size }
}

t.test('a folder of a machine is told of like one of this, to all who look, and watched while one does', needs('nats-server'), async (t) => {
  const { server, service } = await startJoinable(t)
  const folder = t.testdir({ opened: { project: { shown: {} } }, closed: {} })
  const big = await joinBig(t, service, await server.link(), folder)
  const project = join(big.opened, 'project')
  symlinkSync(join(folder, 'closed'), join(project, 'way-out'))
  const id = await service.newSession({ workspace: `big:${project}` })
  const address = `/api/workspace/events?session_id=${id}&path=`
  for (const path of ['..', '/etc', 'way-out', 'missing', '../../closed']) t.equal((await service.get(`${address}${encodeURIComponent(path)}`)).status, 404, path)
  await service.app.sessions.update(id, { workspace: `big:${folder}/closed` })
  t.match(await service.get(`${address}.`), { status: 403, body: { error: /offers/ } })
  await service.app.sessions.update(id, { workspace: `big:${project}` })
  t.equal(service.app.watching.far(), 0)

  const [one, other] = [await service.events(`${address}shown`), await service.events(`${address}shown`)]
  const initial = await one.until('initial')
  t.match(initial.data, { workspace: `big:${project}`, path: 'shown', signature: String })
  t.same((await other.until('initial')).data, initial.data)
  t.equal(big.watched(), 1)
  t.equal(big.watches.size(), 1)
  writeFileSync(join(project, 'shown', 'new.txt'), 'one')
  const changed = await one.until('workspace_changed')
  t.not(changed.data.signature, initial.data.signature)
  await other.until(({ data }) => data.signature === changed.data.signature)

  one.drop()
  renameSync(join(project, 'shown'), join(project, 'moved'))
  await other.until(({ event, data }) => event === 'workspace_changed' && data.signature === null)
  other.drop()
  await eventually('nobody watches', () => big.watches.size() === 0 && big.watched() === 0 && service.app.watching.far() === 0)
})

t.test('away, that is told; back, how the folder is; whatever was away', needs('nats-server'), async (t) => {
  const { server, service } = await startJoinable(t)
  const folder = t.testdir({ opened: { project: {} } })
  const link = await server.link()
  let big = await joinBig(t, service, link, folder)
  const project = join(big.opened, 'project')
  const id = await service.newSession({ workspace: `big:${project}` })
  const address = `/api/workspace/events?session_id=${id}`
  const reader = await service.events(address)
  const first = await reader.until('initial')
  const feed = await service.events(`/api/events?folder=${id}:`)
  const told = (event: string) => feed.frames.filter((frame) => frame.event === event).length
  await feed.until('folder')

  await big.leave()
  t.match((await reader.until('workspace_unreachable')).data, { workspace: `big:${project}`, path: '.', error: 'The machine big is not reachable' })
  t.match((await feed.until('folder_unknown')).data, { session_id: id, error: 'The machine big is not reachable' })
  t.match(await service.get(address), { status: 503, body: { code: 'host_unreachable' } })
  // A client that asks meanwhile is also notified later.
  const late = await service.events(`/api/events?folder=${id}:`)
  await late.until('folder_unknown')
  writeFileSync(join(project, 'meanwhile.txt'), 'written')
  big = await joinBig(t, service, link, folder)
  const again = await reader.until((frame) => frame.event === 'initial' && frame !== first)
  t.not(again.data.signature, first.data.signature)
  for (const each of [feed, late]) await each.until(({ event, data }) => event === 'folder' && data.data.signature === again.data.signature)

  const count = told('folder')
  await server.stop()
  await eventually('the cut is told', () => told('folder_unknown') === 2)
  writeFileSync(join(project, 'cut.txt'), 'written')
  await server.start()
  await eventually('all is told again', () => told('folder') > count)
  const last = feed.frames.findLast(({ event }) => event === 'folder')!
  t.match(last.data, { event: 'initial' })
  await eventually('it is the present one', async () => (await service.events(address)).until(({ data }) => data.signature !== again.data.signature))
  await big.leave()
})

t.test('a machine watches no longer than it is asked to', needs('nats-server'), async (t) => {
  const { server, service } = await startJoinable(t)
  const folder = t.testdir({ opened: { project: {} } })
  const big = await joinBig(t, service, await server.link(), folder, 100)
  const { watch_folder: watch, unwatch_folder: unwatch } = big.watches.answers
  const workspace = join(big.opened, 'project')
  const signature = (await watch({ id: 'a', workspace, path: '.' })).signature
  t.type(signature, 'string')
  await eventually('it has lapsed', () => big.watches.size() === 0 && big.watched() === 0)
  t.equal((await watch({ id: 'a', workspace, path: '.' })).signature, signature)
  // A watch that is withdrawn before its folder was found.
  const opening = watch({ id: 'b', workspace, path: '.' })
  await unwatch({ id: 'b' })
  await opening
  await eventually('none is left over', () => big.watches.size() === 0 && big.watched() === 0)
  await t.rejects(watch({ id: 'c', workspace: folder, path: '.' }), { name: 'Forbidden' })
  await t.rejects(watch({ id: 'c', workspace, path: 'missing' }), { name: 'NotFound' })
  t.equal(big.watches.size(), 0)
})
