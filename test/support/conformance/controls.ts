import { type Test } from '#test'
import { type protocolVersion } from '../../../services/agent/protocol.js'
import { eventually, gate, held } from '../chat.js'
import { arrived, bench, textOf, type Bench, type Followed, type OpenTransport } from './harness.js'

const wait = { waitMs: 10 }

/** Starts a run that waits until the gate is opened. */
async function waiting ({ run }: Bench): Promise<{ followed: Followed, open: () => void }> {
  const hold = gate()
  const followed = run([held(hold, [{ text: 'So far ' }, { tool: 'list_files', args: {} }], [wait]), [{ text: 'and on.' }]])
  await arrived(followed, 'token')
  return { followed, open: hold.open }
}

/** Tests that controls are acknowledged or refused, and take effect once. */
export function controlsConform (t: Test, open: OpenTransport): void {
  t.test('a control is acknowledged; a run that nobody has is no owner', async (t) => {
    const service = await bench(t, open)
    const { followed, open: goOn } = await waiting(service)
    const { runId, profile } = followed.spec
    t.match(await service.runtime.control(profile, { op: 'steer', runId, text: 'Faster' }), { result: 'applied' })
    t.match(await service.runtime.control(profile, { op: 'answer', runId, askId: 'nobody', value: 'x' }), { result: 'stale' })
    t.match(await service.runtime.control(profile, { op: 'dance', runId } as never), { result: 'unsupported' })
    await t.rejects(service.runtime.control(profile, { op: 'cancel', runId: 'nobody' }), { name: 'Conflict', code: 'gateway_run_unavailable' })
    await t.rejects(service.runtime.control('another', { op: 'cancel', runId }), { name: 'Conflict', code: 'gateway_run_unavailable' })
    goOn()
    await followed.over
    t.match(followed.events.find((event) => event.t === 'steered'), { texts: ['Faster'] })
    await t.rejects(service.runtime.control(profile, { op: 'cancel', runId }), { name: 'Conflict' })
  })

  t.test('a control that is not acknowledged in time has failed; one that arrives twice counts once', async (t) => {
    const service = await bench(t, open, { controlTimeoutMs: 1_000 })
    const { followed, open: goOn } = await waiting(service)
    const { runId, profile } = followed.spec
    service.way.toHost = (message) => message.type === 'control' ? [] : [message]
    await t.rejects(service.runtime.control(profile, { op: 'steer', runId, text: 'dropped' }), { name: 'RelayFailed', code: 'gateway_approval_relay_failed' })
    service.mend()
    service.way.toHost = (message) => message.type === 'control' ? [message, message] : [message]
    t.match(await service.runtime.control(profile, { op: 'steer', runId, text: 'twice' }), { result: 'applied' })
    service.mend()
    goOn()
    await followed.over
    t.match(followed.events.filter((event) => event.t === 'steered'), [{ texts: ['twice'] }])
    t.equal(service.runtime.size().waiting, 0)
  })

  t.test('a run is cancelled, and says so last', async (t) => {
    const service = await bench(t, open)
    const { followed } = await waiting(service)
    const { runId, profile } = followed.spec
    t.match(await service.runtime.control(profile, { op: 'cancel', runId }), { result: 'applied' })
    t.match(await followed.over, { t: 'end', state: 'cancelled' })
    await eventually('the provider to be let go', () => service.requests(runId)[0]!.isClosed)
  })

  t.test('a start that arrives twice is one run; one that does not arrive is a turn that ends in words', async (t) => {
    const { run, way, lines, mend, requests } = await bench(t, open)
    way.toHost = (message) => message.type === 'start' ? [message, message] : [message]
    const twice = run([[{ text: 'Once' }]])
    t.match(await twice.over, { t: 'end', state: 'done' })
    t.equal(textOf(twice), 'Once')
    lines[0]!.tell({ type: 'start', spec: twice.spec })
    way.toHost = (message) => message.type === 'start' ? [] : [message]
    const never = run([])
    mend()
    await lines[0]!.compare()
    t.match(await never.over, { message: /does not know this turn/ })
    t.equal(requests(twice.spec.runId).length, 1, 'a run is not begun again when it is over')
  })

  t.test('a run that the service has given up is stopped when both sides compare', async (t) => {
    const { run, way, lines, requests, mend } = await bench(t, open)
    const hold = gate()
    const known = run([held(hold, [{ text: 'a ' }], [wait])])
    await arrived(known, 'token')
    const stray = { ...known.spec, runId: 'stray', model: { provider: 'openai', id: 'stray' }, input: { text: 'Go', attachments: [] } }
    way.fromHost = (message) => message.type === 'pong' ? [message] : []
    lines[0]!.tell({ type: 'start', spec: stray })
    lines[0]!.tell({ type: 'control', control: { op: 'cancel', controlId: 'x', runId: 'nobody' } })
    await lines[0]!.compare()
    await eventually('it to be cancelled', () => lines[0]!.sent.find((message) => message.type === 'control' && message.control.runId === 'stray' && message.control.op === 'cancel'))
    mend()
    hold.open()
    t.match(await known.over, { t: 'end', state: 'done' })
    t.ok(requests('stray').length <= 1)
  })

  t.test('a turn of another version of the protocol is refused in words', async (t) => {
    const { run } = await bench(t, open)
    const over = await run([], { v: 99 as typeof protocolVersion }).over
    t.match('message' in over ? over : over.t === 'end' && over.error, { message: /version 99\b.*different releases/ })
  })
}
