import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Test } from '#test'
import { type FromHost, type ToHost } from '../../../services/agent/protocol.js'
import { eventually, gate, said, type ScriptedAnswer } from '../chat.js'
import { bench, textOf, type Bench, type Followed, type Line, type OpenTransport } from './harness.js'

const write: ScriptedAnswer = [{ tool: 'write_file', args: { path: 'new.txt', content: 'x' } }]
const delegate: ScriptedAnswer = [{ tool: 'delegate', args: { task: 'Count' } }]
/** Returns the result of its call that the model was given. */
const resultOf = ({ requests }: Bench, { spec }: Followed): string | undefined => said(requests(spec.runId)[1], 'tool')[0]
const done = { t: 'end', state: 'done' }

/** Tests that each request of a run is answered once, or refused with a reason. */
export function requestsConform (t: Test, open: OpenTransport): void {
  t.test('a run waits for what it has asked for, and goes on with the answer', async (t) => {
    const service = await bench(t, open)
    const asked: unknown[] = []
    const wait = gate()
    service.runtime.serve('checkpoint', async (body, { spec }) => {
      asked.push([body, spec.runId])
      await eventually('the gate', () => wait.isOpen)
      return null
    })
    service.runtime.serve('delegate', async ({ task }) => ({ text: `${task} to three`, isError: false }))
    t.throws(() => service.runtime.serve('delegate', async () => ({ text: '', isError: false })), /answered already/)
    const writing = service.run([write])
    await eventually('the request', () => asked[0])
    t.same(asked, [[{ place: 'workspace' }, writing.spec.runId]])
    t.notOk(existsSync(join(service.workspace, 'new.txt')))
    wait.open()
    t.match(await writing.over, done)
    t.ok(existsSync(join(service.workspace, 'new.txt')))
    const delegating = service.run([delegate])
    t.match(await delegating.over, done)
    t.equal(resultOf(service, delegating), 'Count to three')
  })

  t.test('what nobody serves, cannot be done or makes no sense is a value, and the run goes on', async (t) => {
    const service = await bench(t, open)
    const unserved = service.run([delegate])
    t.match(await unserved.over, done)
    t.match(resultOf(service, unserved), /Nobody answers "delegate"/)

    service.runtime.serve('delegate', async ({ task }) => {
      if (task === 'Count') throw new Error('secret words')
      return 'no answer' as never
    })
    const failed = service.run([delegate])
    t.match(await failed.over, done)
    t.match(resultOf(service, failed), /could not be done/)
    t.ok(service.logs.some((line) => line.includes('secret words')))
    const senseless = service.run([[{ tool: 'delegate', args: { task: 'Other' } }]])
    t.match(await senseless.over, done)
    t.match(resultOf(service, senseless), /form of its kind/)

    service.way.fromHost = (message) => message.type === 'request' ? [{ ...message, request: { ...message.request, body: { place: 7 } } }] : [message]
    service.runtime.serve('checkpoint', async () => { throw new Error('never called') })
    const garbled = service.run([write])
    t.match(await garbled.over, done)
    t.notOk(service.logs.some((line) => line.includes('never called')))
  })

  t.test('its time is up on the side of the service as well', async (t) => {
    const service = await bench(t, open)
    let isAborted: Promise<void> | undefined
    service.runtime.serve('delegate', async (_, { signal }) => {
      isAborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
      return await new Promise<never>(() => {})
    })
    service.way.fromHost = (message) => message.type === 'request' ? [{ ...message, request: { ...message.request, deadlineMs: 30 } }] : [message]
    const followed = service.run([delegate])
    t.match(await followed.over, done)
    t.match(resultOf(service, followed), /no answer in time/)
    await isAborted
  })

  t.test('a run that ends cancels what it has asked for', async (t) => {
    const service = await bench(t, open)
    const wait = gate()
    let isAborted = false
    service.runtime.serve('delegate', async (_, { signal }) => {
      signal.addEventListener('abort', () => { isAborted = true })
      await eventually('the gate', () => wait.isOpen)
      return { text: 'too late', isError: false }
    })
    const followed = service.run([delegate])
    await eventually('the request', () => service.lines[0]!.heard.find(({ type }) => type === 'request'))
    await service.runtime.control('default', { op: 'cancel', runId: followed.spec.runId })
    t.match(await followed.over, { t: 'end', state: 'cancelled' })
    t.ok(isAborted)
    wait.open()
    t.match(await service.run([]).over, done)
    t.notOk(service.lines[0]!.sent.some(({ type }) => type === 'reply'))
  })

  t.test('a request or a reply that arrives twice counts once; one that is lost is found out', async (t) => {
    const service = await bench(t, open)
    let served = 0
    service.runtime.serve('delegate', async () => ({ text: `answer ${++served}`, isError: false }))
    const line = (): Line => service.lines[0]!
    // A run sends other requests too.
    const isAsked = (message: FromHost): boolean => message.type === 'request' && message.request.what === 'delegate'
    const asked = (): FromHost[] => line().heard.filter(isAsked)
    const isReply = (message: ToHost): boolean => message.type === 'reply' &&
      asked().some((each) => each.type === 'request' && each.request.requestId === message.reply.requestId)

    service.way.fromHost = (message) => isAsked(message) ? [message, message] : [message]
    service.way.toHost = (message) => isReply(message) ? [message, message] : [message]
    const doubled = service.run([delegate])
    t.match(await doubled.over, done)
    t.equal(served, 1)

    service.mend()
    service.way.toHost = (message) => isReply(message) ? [] : [message]
    const unheard = service.run([delegate])
    await eventually('the reply', () => line().sent.filter(isReply).length === 2)
    service.mend()
    await line().compare()
    t.match(await unheard.over, done)
    t.equal(resultOf(service, unheard), 'answer 2', 'it is said again')

    service.way.fromHost = (message) => isAsked(message) ? [] : [message]
    const unasked = service.run([delegate])
    await eventually('the request', () => asked().length === 3)
    service.mend()
    await line().compare()
    t.match(await unasked.over, done)
    t.match(resultOf(service, unasked), /lost on its way/)
    t.equal(served, 2)
    line().tell({ type: 'reply', reply: { requestId: 'nobody', runId: 'nobody', answer: null } })
    t.equal(textOf(service.run([])), '')
  })
}
