import t from '#test'
import { said } from '../support/chat.js'
import { everythingServer, startWith } from '../support/mcp/servers.js'

t.test('the form of the reference server is one card, checked against its fields, and its values arrive', async (t) => {
  const service = await startWith(t, { mcp_servers: { every: everythingServer }, approvals: { allow: ['mcp:every:*'] } })
  const asked = async () => {
    const session = await service.newSession()
    const model = service.model([{ tool: 'mcp__every__trigger-elicitation-request', args: {} }], [{ text: 'Done.' }])
    const stream = await service.send(session, 'Ask me', { model })
    const card = await service.pending(session, 'clarify')
    const answer = async (body: Record<string, unknown>) => await service.post('/api/clarify/respond', { session_id: session, clarify_id: card.clarify_id, ...body })
    const result = async (): Promise<string> => {
      await (await service.watch(stream)).ended
      return said(service.requests(model)[1], 'tool').at(-1) ?? ''
    }
    return { session, card, answer, result }
  }

  const { session, card, answer, result } = await asked()
  const fields: Array<Record<string, unknown>> = card.form.fields
  t.ok(fields.length > 6)
  t.equal(card.timeout_seconds, 120 * fields.length, 'there is time for each of them')
  const named = Object.fromEntries(fields.map((field) => [field['name'], field]))
  t.match(named, {
    name: { type: 'string', required: true }, email: { format: 'email' }, homepage: { format: 'uri' }, birthdate: { format: 'date' }, integer: { type: 'integer', min: 1, max: 100, default: 42 }, number: { default: 3.14 },
    untitledMultipleSelectEnum: { type: 'array', min: 1, max: 3, default: ['Guitar'] }, titledSingleSelectEnum: { options: [{ value: 'hero-1', title: 'Superman' }, {}, {}], default: 'hero-1' },
    titledMultipleSelectEnum: { type: 'array', options: [{ value: 'fish-1', title: 'Tuna' }, {}, {}] }
  })
  t.match(card.question, /- email, String with email format: Your email address.*\(an email address; optional\)/, 'for clients that know no forms')
  for (const [response, named] of [[{ name: 'A', integer: 101 }, '"integer"'], [{ integer: 1 }, '"name"'], [{ name: 'A', nope: 1 }, '"nope"'], ['just words', 'name: value'], ['name: A\ninteger: many', '"integer"'], [{ name: 'A', email: 'x' }, '"email"']] as const) {
    const { status, body } = await answer({ response })
    t.equal(status, 400)
    t.ok(body.error.includes(named), body.error)
  }
  t.equal((await service.get(`/api/clarify/pending?session_id=${session}`)).body.pending?.clarify_id, card.clarify_id, 'the card stays')
  const filled = { name: 'Ada', check: true, email: 'ada@example.org', integer: 7, titledMultipleSelectEnum: ['fish-3', 'fish-1'] }
  t.match(await answer({ response: filled }), { status: 200, body: { ok: true, response: filled } })
  const told = await result()
  for (const words of ['"Ada"', 'ada@example.org', 'fish-3', '"action": "accept"']) t.ok(told.includes(words), told)

  const byLines = await asked()
  t.equal((await byLines.answer({ response: 'name: Bob\ncheck: yes\nTitled Single Select Enum: Wonder Woman' })).status, 200)
  const lines = await byLines.result()
  for (const words of ['"Bob"', 'hero-3', '"integer": 42']) t.ok(lines.includes(words), lines)

  const declining = await asked()
  t.match(await declining.answer({ decline: true }), { status: 200, body: { ok: true, response: '' } })
  t.match(await declining.result(), /"action": "decline"/)
})
