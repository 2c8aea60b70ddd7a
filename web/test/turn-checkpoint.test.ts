import t from '../../test/support/harness.js'
import { checkpointOf } from '../src/core/turn/turn-checkpoint.js'

const entry = (id: string, createdAtS: number, { kind = 'turn', session = 'one' } = {}) =>
  ({ id, checkpoint: id, kind, state: 'ready', reason: null, session_id: session, stream_id: null, title: '', files_count: 1, created_at: createdAtS })

t.test('a turn that was read from the transcript finds what the folder held before it', async (t) => {
  const list = [entry('later', 200), entry('restored', 105, { kind: 'restore' }), entry('of another chat', 103, { session: 'two' }), entry('its own', 102), entry('earlier', 50)]
  t.equal(checkpointOf(list, 'one', { startedAtS: 100, durationS: 20 })?.id, 'its own')
  t.equal(checkpointOf(list, 'one', { startedAtS: 100, durationS: null })?.id, 'its own', 'the first one since, where its end is not known')
  t.equal(checkpointOf(list, 'one', { startedAtS: 120, durationS: 5 }), null, 'none of another turn')
  t.equal(checkpointOf(list, 'one', { startedAtS: null, durationS: null }), null)
})
