import t from '#test'
import { Listeners } from '../../services/ground/listeners.js'

interface Events {
  moved (by: number): void
  asked (what: string): Promise<string>
}

t.test('listeners hear in their order, and none can harm the cause or the others', async (t) => {
  const failed: string[] = []
  const heard: string[] = []
  const listeners = new Listeners<Events>((event, error) => failed.push(`${event}: ${(error as Error).message}`))
  listeners.emit('moved', 0)
  listeners.on('moved', (by) => { heard.push(`first ${by}`) })
  listeners.on('moved', () => { throw new Error('at once') })
  listeners.on('moved', (by) => { heard.push(`last ${by}`) })
  listeners.emit('moved', 2)
  t.same(heard, ['first 2', 'last 2'], 'before emit returns')
  await new Promise((resolve) => setImmediate(resolve))
  t.same(failed, ['moved: at once'])
})

t.test('told inside a write, a listener that fails makes the write fail', async (t) => {
  const heard: number[] = []
  const listeners = new Listeners<Events>(() => t.fail('it is not left at a line in the log'))
  listeners.on('moved', (by) => { heard.push(by) })
  listeners.emitInWrite('moved', 1)
  listeners.on('moved', () => { throw new Error('no room') })
  t.throws(() => listeners.emitInWrite('moved', 2), { message: 'no room' })
  t.same(heard, [1, 2])
})

t.test('what listeners answer is gathered in their order, without those that fail', async (t) => {
  const failed: string[] = []
  const listeners = new Listeners<Events>((event, error) => failed.push(`${event}: ${(error as Error).message}`))
  t.same(await listeners.gather('asked', 'x'), [])
  let answerFirst = (): void => {}
  listeners.on('asked', (what) => new Promise((resolve) => { answerFirst = () => resolve(`slow ${what}`) }))
  listeners.on('asked', async () => { throw new Error('later') })
  listeners.on('asked', async (what) => `quick ${what}`)
  const gathered = listeners.gather('asked', 'x')
  answerFirst()
  t.same(await gathered, ['slow x', 'quick x'])
  t.same(failed, ['asked: later'])
})
