import t from '../../test/support/harness.js'
import { ApiError } from '../src/core/service/api.js'
import { attemptEach } from '../src/ui/attempt.js'
import { remove, toasts } from '../src/ui/toasts.js'

t.test('what is refused for one is done to the others all the same', async (t) => {
  const done: string[] = []
  const act = async (id: string): Promise<void> => {
    if (id === 'gone') throw new ApiError('There is no such chat', 404)
    done.push(id)
  }
  t.equal(await attemptEach(['gone', 'one', 'two'], act), false)
  t.strictSame(done, ['one', 'two'])
  t.equal(toasts.value.at(-1)?.text, 'There is no such chat')
  for (const { id } of toasts.value) remove(id)
  t.equal(await attemptEach(['one'], act), true)
})
