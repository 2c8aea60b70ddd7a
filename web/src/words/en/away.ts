const messages = (count: number): string => count === 1 ? '1 message waits' : `${count} messages wait`
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`
const named = (before: string, name: string | null, after = ''): string => name === null ? `${before}${after}` : `${before} (${name})${after}`

export const away = {
  all: 'Everything at a glance',
  running: 'Running',
  later: 'Goes on later',
  ended: 'Ended since you last looked',
  empty: 'Nothing runs, waits or ended',
  emptyText: 'Whatever the agent does while you are away is told here.',
  counted: {
    waiting: (count: number): string => count === 1 ? '1 waits for you' : `${count} wait for you`,
    running: (count: number): string => count === 1 ? '1 runs' : `${count} run`,
    queued: (count: number): string => count === 1 ? '1 is queued' : `${count} are queued`,
    ended: (count: number): string => `${count} ended`
  },
  listed: (parts: readonly string[]): string => `${joined(parts)}.`,
  works: 'The agent is working.',
  parked: (provider: string, when: string | null): string => when === null
    ? `${provider} is at its limit. The turn waits until you decide how it continues.`
    : `${provider} is at its limit until ${when}. The turn then continues by itself.`,
  cannotContinue: (provider: string): string => `The turn could not continue with ${provider}. It waits for your decision.`,
  worksOn: (what: string): string => `Works on: ${what}`,
  stop: 'Stop',
  stopIt: (title: string): string => `Stop “${title}”`,
  silent: (span: string, cause: string): string => `No word for ${span}: ${cause}.`,
  causes: {
    model: (name: string | null): string => `${name ?? 'the model'} has not answered yet`,
    command: (line: string | null): string => named('a command runs that prints nothing', line),
    tool: (name: string | null): string => named('a tool has not answered yet', name),
    sub_agent: (): string => 'a sub-agent works on its part',
    person: (): string => 'it waits for your answer'
  },
  behind: (count: number): string => `${messages(count)} for the turn before to end, and begin${count === 1 ? 's' : ''} by ${count === 1 ? 'itself' : 'themselves'}.`,
  notBefore: (count: number, when: string): string => `${messages(count)} until ${when}.`,
  held: (count: number, reason: string): string => {
    const why: Readonly<Record<string, string>> = {
      failed: 'the turn before failed', cancelled: 'you stopped the turn before', budget: 'the budget is used up',
      restored: 'they came from a backup', waiting: 'the turn before waits for your answer',
      limit: 'the turn before waits for its provider'
    }
    return `${messages(count)} for you, because ${why[reason] ?? 'the queue is held'}.`
  },
  runs: 'They start when one that runs has ended.',
  next: (when: string): string => `Next run: ${when}.`
}
