import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'

const compact = formatter(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }))

export const bar = {
  more: {
    label: 'Add files and more',
    goal: { text: 'Pursue a goal', note: 'The agent starts turn after turn until the goal is reached.' },
    btw: { text: 'Ask a side question', note: 'The quick answer does not become part of the chat.' },
    background: { text: 'Run in the background', note: 'A separate task. You can continue here meanwhile.' },
    attempts: { text: 'Try several times…', note: 'The same task in several worktrees; you take the best result.' },
    worktree: { text: 'Work in a git worktree', note: 'The new chat gets its own copy of the repository, on a new branch.' },
    all: 'All commands'
  },
  getKey: 'Get a key…',
  effortTitle: 'Reasoning effort',
  effort: (effort: string): string => ({
    '': 'Normal effort', none: 'No reasoning', minimal: 'Minimal', low: 'Low', medium: 'Medium', high: 'High', xhigh: 'Very high',
    max: 'Maximum'
  }[effort] ?? effort),
  effortBrief: (effort: string): string => ({
    '': 'normal', none: 'off', minimal: 'minimal', low: 'low', medium: 'medium', high: 'high', xhigh: 'very high', max: 'maximum'
  }[effort] ?? effort),
  effortSet: (effort: string): string => `Reasoning effort: ${effort}`,
  personality: 'Personality',
  noPersonality: 'No personality',
  scopes: { turn: 'Per turn', session: 'Per chat', day: 'Per day' },
  usd: dollarsIn('en'),
  demo: 'Offline demo',
  short: (count: number): string => compact.format(count)
}
