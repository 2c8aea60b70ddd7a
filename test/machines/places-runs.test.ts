import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createRunCheckpoints } from '../../machine/checkpoints.js'
import { createMapSpec } from '../../machine/map-spec.js'
import { type RunSpec } from '../../services/agent/protocol.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { createSharing } from '../../services/areas/machines/index.js'
import { attachmentFolder } from '../../services/workspace/index.js'
import { createCheckpoints } from '../../services/workspace/checkpoints/index.js'
import { start } from '../support/app.js'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { fresh } from '../support/database.js'
import { joinMachine } from '../support/machine.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

const log = () => {}

t.test('what was uploaded to a conversation is on the machine before its run begins, and travels once', needs('nats-server'), async (t) => {
  const service = await start(t)
  const server = await startNats(t)
  const big = await joinMachine(t, server, service)
  const ours = await server.link()
  const { stateDir } = service.app.config
  const id = await service.newSession({ workspace: `big:${big.folder('project')}` })
  const large = randomBytes(3 * 1_024 * 1_024)
  mkdirSync(attachmentFolder(stateDir, id), { recursive: true })
  writeFileSync(join(attachmentFolder(stateDir, id), 'large.bin'), large)
  writeFileSync(join(attachmentFolder(stateDir, id), 'ünd so.txt'), 'small')
  const share = createSharing({ link: async () => ours, asking: service.app.machines, log })
  const map = createMapSpec({ link: big.link, machine: 'big', stateDir: big.stateDir, assertOpen: () => {} })
  const workspace = big.folder('project')
  const said = (root: string) => [{ role: 'user', content: [{ type: 'text', text: `Look\n\n[Attached files: ${attachmentFolder(root, id)}/large.bin]` }] }]
  const spec = { host: 'big', history: said(stateDir), input: null, places: { workspace, attachments: attachmentFolder(stateDir, id), 'attachments of none': attachmentFolder(stateDir, 'none') } } as unknown as RunSpec

  const [one, other] = await Promise.all([share(spec), share(spec)])
  for (const sent of [one, other]) {
    const { places, uploads, history } = await map(sent)
    t.same(history, said(big.stateDir), 'earlier messages name the files as they lie there')
    t.same(places, { workspace, attachments: attachmentFolder(big.stateDir, id), 'attachments of none': attachmentFolder(big.stateDir, 'none') })
    t.equal(uploads, undefined)
  }
  t.ok(readFileSync(join(attachmentFolder(big.stateDir, id), 'large.bin')).equals(large))
  t.equal(readFileSync(join(attachmentFolder(big.stateDir, id), 'ünd so.txt'), 'utf8'), 'small')
  t.same(await (await ours.objm.open(ours.subjects.objects('big'))).list(), [], 'nothing is left on the way')
  t.same((await share(spec)).uploads?.places['attachments']?.files.map(({ object }) => object), [undefined, undefined])

  const local = { places: spec.places } as unknown as RunSpec
  t.equal(await share(local), local, 'a run of this machine stays as it is')
  for (const [session, name] of [['..', 'a'], [id, '../out'], [id, '..'], ['a/b', 'c'], ['', 'x']] as const) {
    await t.rejects(map({ ...one, uploads: { root: '', places: { attachments: { session, files: [{ name, size: 1, object: 'gone' }] } } } }), `${session} ${name}`)
  }
  await t.rejects(map({ ...one, uploads: { root: '', places: { attachments: { session: id, files: [{ name: 'lost', size: 1, object: 'gone' }] } } } }))
  big.leave()
  await t.rejects(share(spec), { code: 'host_unreachable' })
  await big.comeBack()
  await service.post('/api/session/delete', { session_id: id })
  await eventually('the copies are removed', () => !existsSync(attachmentFolder(big.stateDir, id)))
})

t.test('a machine keeps what its folder held before a run writes, and the conversation hears of it', needs('nats-server'), async (t) => {
  const service = await startChat(t)
  const server = await startNats(t)
  const big = await joinMachine(t, server, service)
  const folder = big.folder('project')
  writeFileSync(join(folder, 'a.txt'), 'before')
  const { app } = service
  const checkpoints = createCheckpoints({
    db: openDatabase({ file: ':memory:', from: fresh() }), clock: systemClock, workers: app.workers, folder: join(big.stateDir, 'checkpoints'), env: app.config.env, log
  })
  t.teardown(() => checkpoints.stop())
  const territory = (root: string) => ({ root, closed: [] })
  const take = createRunCheckpoints({ link: big.link, machine: 'big', checkpoints, territory, log })
  const posing = createRunCheckpoints({ link: big.link, machine: 'small', checkpoints, territory, log })

  const id = await service.newSession({ workspace: `big:${folder}` })
  const goOn = gate()
  const model = service.model(held(goOn, [{ text: 'I write. ' }], [{ text: 'Done.' }]))
  const streamId = await service.send(id, 'Write', { model })
  const reader = await service.watch(streamId)
  await eventually('the first word', () => reader.frames.some(({ event }) => event === 'token'))
  const asker = (runId: string) => ({ spec: { runId, sessionId: id, places: { workspace: folder } } as unknown as RunSpec, signal: new AbortController().signal })
  t.equal(await take({ place: 'workspace' }, asker(streamId)), null)
  t.equal(await take({ place: 'workspace' }, asker(streamId)), null)
  t.equal(await posing({ place: 'workspace' }, asker('another')), null)
  const { id: checkpoint } = checkpoints.list(folder).filter(({ streamId: of }) => of === streamId)[0]!
  await eventually('the frame', () => reader.frames.some(({ event }) => event === 'checkpoint'))
  goOn.open()
  await reader.ended
  t.same(reader.frames.filter(({ event }) => event === 'checkpoint').map(({ data }) => data), [{ session_id: id, id: checkpoint, state: 'ready', reason: null }])
  writeFileSync(join(folder, 'a.txt'), 'after')
  t.match(await checkpoints.diff(territory(folder), checkpoint), { count: 1 })
})
