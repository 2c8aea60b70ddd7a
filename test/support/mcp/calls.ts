import { eventually, said } from '../chat.js'
import { type ModelRequest } from '../model-endpoint.js'
import { type McpService } from './servers.js'

/** An approval as it is on the wire. */
export interface Card { approval_id: string, pattern_key: string, pattern_keys: string[], description: string, content?: string, [key: string]: unknown }

export interface Called { cards: Card[], requests: ModelRequest[], result: string, session: string }

/** Answers approvals as they come, until the turn has ended. */
async function answering (service: McpService, sessionId: string, streamId: string, choice: string): Promise<Card[]> {
  const reader = await service.watch(streamId)
  const cards: Card[] = []
  let isOver = false
  void reader.ended.then(() => { isOver = true })
  while (true) {
    const next = await eventually('a card or the end', async () => {
      if (isOver) return 'end'
      const { body: { pending } } = await service.get(`/api/approval/pending?session_id=${sessionId}`) as { body: { pending: Card | null } }
      return pending !== null && !cards.some((card) => card.approval_id === pending.approval_id) ? pending : false
    })
    if (next === 'end') return cards
    cards.push(next)
    await service.respond(sessionId, choice, next.approval_id)
  }
}

/** Runs a turn in which the model calls one tool; its approvals are answered with `choice`. */
export async function called (service: McpService, tool: string, args: Record<string, unknown>, { choice = 'once', sessionId }: { choice?: string, sessionId?: string } = {}): Promise<Called> {
  const model = service.model([{ tool, args }], [{ text: 'Done.' }])
  const session = sessionId ?? await service.newSession()
  const streamId = await service.send(session, 'Do it', { model })
  const cards = await answering(service, session, streamId, choice)
  const requests = service.requests(model)
  return { cards, requests, result: said(requests[1], 'tool').at(-1) ?? '', session }
}
