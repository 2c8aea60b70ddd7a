import t from '#test'
import { createSharedQueue } from '../../services/ground/concurrency/shared-queue.js'

t.test('looks run together, a change by itself, and what comes after a change that waits runs after it', async (t) => {
  const queue = createSharedQueue()
  const log: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const work = (name: string) => async (): Promise<void> => {
    log.push(`+${name}`)
    const gate = Promise.withResolvers<void>()
    gates.set(name, gate)
    await gate.promise.finally(() => log.push(`-${name}`))
  }
  const open = async (name: string): Promise<void> => {
    gates.get(name)?.resolve()
    await new Promise(setImmediate)
  }
  const all = [
    queue.shared('a', work('1')), queue.shared('a', work('2')), queue.alone('a', work('3')), queue.shared('a', work('4')),
    queue.alone('a', work('5')), queue.alone('a', work('6')), queue.shared('b', work('other'))
  ]
  const failed = t.rejects(all[2] ?? Promise.resolve(), { message: 'no' }, 'an error is that of its caller alone')
  await new Promise(setImmediate)
  t.same(log.splice(0), ['+1', '+2', '+other'])
  await open('2')
  t.same(log.splice(0), ['-2'])
  await open('1')
  t.same(log.splice(0), ['-1', '+3'])
  gates.get('3')?.reject(new Error('no'))
  await failed
  await new Promise(setImmediate)
  t.same(log.splice(0), ['-3', '+4'])
  for (const name of ['4', '5', '6', 'other']) await open(name)
  t.same(log, ['-4', '+5', '-5', '+6', '-6', '-other'])
  await Promise.allSettled(all)
  t.equal(queue.size(), 0, 'nothing is kept')
})
