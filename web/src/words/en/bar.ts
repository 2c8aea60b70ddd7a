const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const bar = {
  effortTitle: 'How much it thinks',
  effort: (effort: string): string => ({ '': 'Usual effort', none: 'No thinking', minimal: 'Minimal', low: 'Low', medium: 'Medium', high: 'High', xhigh: 'Very high', max: 'Maximum' }[effort] ?? effort),
  effortSet: (effort: string): string => `Thinking: ${effort}`,
  personality: 'Personality',
  noPersonality: 'No personality',
  personalitySet: (name: string): string => `Personality: ${name}`,
  scopes: { turn: 'A turn', session: 'A chat', day: 'A day' },
  usd: (amount: number): string => `$${amount > 0 && amount < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`,
  short: (count: number): string => compact.format(count)
}
