import t from '#test'
import { said } from '../support/chat.js'
import { hostileServer, startWith } from '../support/mcp/servers.js'

t.test('a page that a server wants opened is a card with its host; it answers the server, and is followed by word that it is done', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals: { allow: ['mcp:h:*'] } })
  const opening = async (args: Record<string, unknown>, response: string | null) => {
    const session = await service.newSession()
    const model = service.model([{ tool: 'mcp__h__open', args }], [{ text: 'Done.' }])
    const stream = await service.send(session, 'Open it', { model })
    const reader = await service.watch(stream)
    const card = response === null ? null : await service.pending(session, 'clarify')
    if (card !== null) t.equal((await service.post('/api/clarify/respond', { session_id: session, clarify_id: card.clarify_id, response })).status, 200)
    await reader.ended
    return { card, result: said(service.requests(model)[1], 'tool').at(-1) ?? '' }
  }
  const url = 'https://pages.example/set?token=a-token-of-somebody#part'
  const { card, result } = await opening({ url }, 'Done')
  t.match(card, { link: { host: 'pages.example', url }, choices_offered: ['Done', 'Decline'], question: /The MCP server "h" asks you to open a page of pages\.example: Sign in there\.\n\nhttps:\/\/pages\.example\/set\n/ })
  t.notMatch(card.question, /a-token/, 'words are kept')
  t.match(result, /They said \{"action":"accept"\}/)
  t.match((await opening({ url }, 'Decline')).result, /They said \{"action":"decline"/)
  t.match((await opening({ url, first: true }, 'Done')).result, /^opened/)
  for (const bad of ['javascript:alert(1)', 'file:///etc/passwd', 'http://pages.example/', 'https://good.example@bad.example/', `https://pages.example/${'x'.repeat(5_000)}`, 'no address']) {
    t.match((await opening({ url: bad }, null)).result, /They said|cannot|shows no/, bad.slice(0, 60))
  }
})
