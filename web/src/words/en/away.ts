const messages = (count: number): string => count === 1 ? '1 message waits' : `${count} messages wait`
const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`
const named = (before: string, name: string | null, after = ''): string => name === null ? `${before}${after}` : `${before} (${name})${after}`

export const away = {
  all: 'See everything',
  later: 'Coming up',
  empty: 'Nothing is running, waiting or finished',
  emptyText: 'What the agent does while you are away appears here.',
  counted: {
    waiting: (count: number): string => `${count} waiting for you`,
    running: (count: number): string => `${count} running`,
    queued: (count: number): string => `${count} queued`,
    ended: (count: number): string => `${count} finished`
  },
  listed: (parts: readonly string[]): string => `${joined(parts)}.`,
  works: 'The agent is working.',
  parked: (provider: string, when: string | null): string => when === null
    ? `${provider} is at its limit. The turn waits until you decide how it continues.`
    : `${provider} is at its limit until ${when}. The turn then continues automatically.`,
  decide: 'Decide',
  cannotContinue: (provider: string): string => `The turn could not continue with ${provider}. It waits for your decision.`,
  worksOn: (what: string): string => `Working on: ${what}`,
  stop: 'Stop',
  stopIt: (title: string): string => `Stop “${title}”`,
  silent: (span: string, cause: string): string => `No activity for ${span}: ${cause}.`,
  causes: {
    model: (name: string | null): string => `${name ?? 'the model'} has not answered yet`,
    command: (line: string | null): string => named('a command is running without output', line),
    tool: (name: string | null): string => named('a tool has not answered yet', name),
    sub_agent: (): string => 'a sub-agent is working',
    person: (): string => 'it is waiting for your answer'
  },
  behind: (count: number): string => `${messages(count)} for the running turn and then ${count === 1 ? 'starts' : 'start'} automatically.`,
  notBefore: (count: number, when: string): string => `${messages(count)} until ${when}.`,
  held: (count: number, reason: string): string => {
    if (reason === 'waiting') return `${messages(count)} for the running turn, which waits for your answer.`
    if (reason === 'limit') return `${messages(count)} for the running turn, which waits for its provider.`
    const why: Readonly<Record<string, string>> = {
      failed: 'the last turn failed', cancelled: 'you stopped the last turn', budget: 'a budget is used up',
      restored: 'a backup was restored'
    }
    return `${messages(count)} for your decision because ${why[reason] ?? 'the queue is on hold'}.`
  },
  runs: 'They start when a running one ends.',
  next: (when: string): string => `Next run: ${when}.`
}
