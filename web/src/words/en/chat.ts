export const chat = {
  goals: {
    active: (used: number, most: number): string => `Goal · turn ${used} of ${most}`,
    paused: 'Goal paused',
    done: 'Goal reached',
    checking: 'Checking the goal',
    pause: 'Pause',
    resume: 'Resume',
    giveUp: 'Drop goal',
    pauses: {
      person: 'you paused it',
      turns: 'its turns are used up',
      budget: 'the budget is used up',
      cancelled: 'the turn was stopped',
      failed: 'the turn failed',
      cut_off: 'the service was stopped in the middle of a turn',
      not_started: 'the next turn could not be started',
      judge_silent: 'the judge did not answer',
      judge_unclear: 'the judge’s answer was unclear'
    }
  },
  events: {
    retry: 'The model did not answer. Trying again.',
    compression_failed: 'The earlier part of the chat could not be summarised.',
    compressing: 'The chat has become long. Its earlier part is being summarised.',
    compressed: 'The earlier part of the chat was summarised.',
    cut_short: 'The answer reached the maximum length of the model.',
    budget: 'A budget is used up.',
    fallback: 'Another model takes over.'
  },
  readOnly: {
    why: 'This chat is read-only.',
    branch: 'Branch to continue',
    goOn: 'Continue here',
    inPlace: (m: string): string => `Continues the same conversation through ${m}. The terminal then shows what you add.`,
    notInPlace: (why: string): string => `It cannot continue in place: ${why}`,
    subAgent: 'A sub-agent works in this chat, so it is read-only.',
    toParent: 'Open the parent chat'
  },
  parked: {
    name: 'Provider at its limit',
    until: (provider: string, time: string): string => `${provider} is at its limit until ${time}. The turn then continues automatically.`,
    asks: (provider: string): string => `${provider} is at its limit. The turn waits until you decide how it continues.`,
    cannot: (provider: string): string => `The turn could not continue with ${provider}. It waits for your decision.`,
    now: 'Continue now',
    wait: 'Wait',
    withAnother: 'Use another model…',
    another: 'Continue with another model',
    stop: 'Stop'
  },
  rename: 'Rename',
  pin: 'Pin',
  unpin: 'Unpin',
  move: 'Move to project',
  archive: 'Archive',
  unarchive: 'Unarchive',
  worktree: 'Worktree',
  duplicate: 'Duplicate',
  export: 'Export',
  share: 'Share',
  sharing: {
    title: 'Share this chat?',
    what: (title: string, count: number): string =>
      `Anyone who has the link can read “${title}” (${count === 1 ? '1 message' : `${count} messages`}) without signing in.`,
    note: 'The page includes what the agent did and the output of its tools. Known credentials are masked. Later messages are not added.',
    preview: 'Preview the page',
    share: 'Share',
    doneTitle: 'This chat is shared',
    kept: 'Copy the link now: it is not shown again.',
    all: 'All shared pages',
    copy: 'Copy the link',
    revoke: 'Stop sharing',
    revoked: 'The page is no longer shared.'
  },
  yoloStep: {
    title: 'Run everything without asking?',
    means: 'In this chat, the agent does whatever it decides to, without waiting for you:',
    facts: [
      'It runs commands, changes and deletes files, and sends requests.', 'Requests that are waiting for you are allowed at once.',
      'It stays on until you turn it off or the service restarts.'
    ],
    back: 'Keep asking',
    confirm: 'Run without asking'
  },
  otherFolder: 'Change the folder',
  undoExchange: 'Undo the last exchange',
  exchangeUndone: 'Last exchange undone.',
  openKept: 'Open the earlier version',
  delete: 'Delete',
  temporary: {
    name: 'Temporary chat',
    note: 'Not listed, not remembered, and deleted when you leave it.',
    keep: 'Keep this chat',
    kept: 'Chat kept. It is in the list now.',
    left: 'Temporary chat deleted.'
  },
  yolo: 'Run everything without asking…',
  side: {
    question: 'Side question',
    task: 'Background task',
    lost: 'The answer is no longer available.',
    states: {
      running: 'working', stopping: 'stopping', done: 'done', elsewhere: 'Its result was shown in another window.',
      gone: 'Its chat no longer exists.'
    }
  },
  noEffort: 'This model has no effort setting.',
  noPersonalities: 'No personalities yet. Create one in Settings, Behaviour.',
  usage: {
    title: 'Usage of this chat',
    window: (percent: number): string => `${percent}% of the context is used`,
    held: (held: string, length: string): string => `${held} of ${length} tokens`,
    threshold: (tokens: string): string => `summarised at ${tokens}`,
    model: 'Model',
    input: 'Input tokens',
    output: 'Output tokens',
    cache: 'Cached',
    cost: 'Cost',
    unpriced: 'price unknown',
    last: 'Last turn',
    speed: (tokensPerSecond: number): string => `${tokensPerSecond} tokens a second`,
    compress: 'Summarise earlier messages now',
    all: 'All usage and budgets'
  }
}
