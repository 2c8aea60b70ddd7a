const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`

export const review = {
  title: 'Review',
  sentTitle: (count: number): string => `Review with ${count === 1 ? '1 comment' : `${count} comments`}`,
  asSent: 'As the agent reads it',
  label: (line: number, end: number): string => line === end ? `Comment on line ${line}` : `Comment on lines ${line} to ${end}`,
  hint: 'What should the agent change or explain?',
  add: 'Add to review',
  count: (count: number): string => counted(count, 'comment'),
  send: (count: number): string => `Send ${counted(count, 'comment')}`,
  sent: 'Review sent.',
  queued: 'Review queued. The agent gets it after this turn.',
  commentOn: (name: string, line: number): string => `Comment on ${name}, line ${line}`,
  actions: 'Actions for this comment',
  show: 'Show the lines',
  edit: 'Edit',
  resolve: 'Resolve',
  reopen: 'Reopen',
  remove: 'Remove',
  removed: 'Comment removed.',
  answer: 'Answer of the agent',
  gone: 'lines not found',
  found: { moved: 'moved', changed: 'lines changed', deleted: 'lines deleted' },
  states: { draft: 'Draft', sent: 'Sent', changed: 'Changed', answered: 'Answered', open: 'Still open', resolved: 'Resolved' },
  see: 'Mark as seen',
  unsee: 'Mark as not seen',
  seen: 'Seen'
}
