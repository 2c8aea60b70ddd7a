import { Exchange, withKnown } from './exchange.js'
import { type Turn } from './turn.js'

let locals = 0

/** Returns the exchanges of turns. A known exchange is recognised by a common message; others are created. */
export function matched (before: readonly Exchange[], turns: readonly Turn[]): Exchange[] {
  const byMessage = new Map(before.flatMap((exchange) => exchange.turn.messageIds.map((id) => [id, exchange] as const)))
  const places = new Map(before.map((exchange, index) => [exchange, index]))
  const used = new Set<Exchange>()
  const next: Exchange[] = []
  for (const turn of turns) {
    const common = turn.messageIds.map((id) => byMessage.get(id)).find((exchange) => exchange !== undefined && !used.has(exchange))
    // A message sent from here has no id until the service reports it, so its place identifies it.
    const previous = next.at(-1)
    const following = before[(previous === undefined ? -1 : places.get(previous) ?? before.length) + 1]
    const found = common ?? (following?.turn.messageIds.length === 0 && !used.has(following) ? following : undefined)
    found?.show(withKnown(turn, found.turn))
    const exchange = found ?? new Exchange(turn.messageIds[0] ?? `local:${++locals}`, turn)
    next.push(exchange)
    used.add(exchange)
  }
  return next
}
