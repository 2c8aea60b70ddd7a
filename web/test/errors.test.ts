import t from '../../test/support/harness.js'
import { start } from '../../test/support/app.js'
import { Api } from '../src/core/service/api.js'
import { errors as chinese } from '../src/words/zh/errors.js'
import document from '../../docs/openapi.json' with { type: 'json' }

/** Every code that an error body of the document can have. */
function codesOf (part: unknown, found = new Set<string>()): Set<string> {
  if (typeof part !== 'object' || part === null) return found
  if ('properties' in part) {
    const { error, code } = part.properties as Record<string, { enum?: string[], const?: string } | undefined>
    if (error !== undefined) for (const one of [...code?.enum ?? [], code?.const]) if (one !== undefined) found.add(one)
  }
  for (const inner of Object.values(part)) codesOf(inner, found)
  return found
}

t.test('each error code of the document has a text in each language that is not the service\'s own', async (t) => {
  const codes = [...codesOf(document)].sort()
  t.ok(codes.length > 60, `${codes.length} codes`)
  t.same(Object.keys(chinese).sort(), codes)
  for (const [code, text] of Object.entries(chinese)) t.match(text('DETAIL'), /\p{Script=Han}/u, code)
})

t.test('an error is shown in the language of the app by its code, and as it comes without one', async (t) => {
  const s = await start(t)
  const api = new Api({ origin: s.url, words: { unreachable: () => '', status: () => '', ofCode: (code, said) => chinese[code]?.(said) } })
  await t.rejects(api.post('/api/crons/preview', { schedule: '0 0 31 2 *' }), { message: '没有符合的日期。请检查日和月。', code: 'schedule_never' })
  await t.rejects(api.get('/api/session', { session_id: 'nowhere' }), { message: 'Session not found', status: 404 })
})
