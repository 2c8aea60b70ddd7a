export const diff = {
  comment: 'Comment',
  commentOn: (line: number): string => `Comment on line ${line}`,
  revert: 'Revert',
  added: 'Added',
  removed: 'Removed',
  counts: (added: number, removed: number): string => `${added} added, ${removed} removed`,
  unchanged: (lines: number): string => lines === 1 ? '1 unchanged line' : `${lines.toLocaleString('en')} unchanged lines`,
  created: 'new',
  deleted: 'deleted',
  renamed: (from: string): string => `was ${from}`,
  binary: 'A binary file: its content cannot be shown.',
  noChange: 'Nothing has changed.',
  noNewline: 'No line break at the end',
  truncated: 'The rest of this change is too long to be shown.'
}
