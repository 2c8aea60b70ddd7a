const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const bar = {
  more: {
    label: 'More to begin',
    goal: { text: 'Pursue a goal', note: 'It goes on turn after turn until the goal is reached.' },
    btw: { text: 'Ask on the side', note: 'A quick answer that the chat does not remember.' },
    background: { text: 'Run in the background', note: 'A task of its own beside this chat; you can go on here.' },
    worktree: { text: 'Work in a git worktree', note: 'The new chat gets a copy of the repository on a branch of its own.' },
    all: 'All commands'
  },
  effortTitle: 'How much it thinks',
  effort: (effort: string): string => ({
    '': 'Usual effort', none: 'No thinking', minimal: 'Minimal', low: 'Low', medium: 'Medium', high: 'High', xhigh: 'Very high',
    max: 'Maximum'
  }[effort] ?? effort),
  effortSet: (effort: string): string => `Thinking: ${effort}`,
  personality: 'Personality',
  noPersonality: 'No personality',
  personalitySet: (name: string): string => `Personality: ${name}`,
  scopes: { turn: 'A turn', session: 'A chat', day: 'A day' },
  usd: (amount: number): string => `$${amount > 0 && amount < 0.1 ? amount.toFixed(4) : amount.toFixed(2)}`,
  short: (count: number): string => compact.format(count)
}
