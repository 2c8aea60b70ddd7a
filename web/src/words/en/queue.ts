const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const queue = {
  title: (count: number): string => `${counted(count, 'message', 'messages')} queued`,
  list: 'Queued messages',
  held: {
    failed: 'The last turn failed, so the queue waits for you.',
    cancelled: 'You stopped the last turn, so the queue waits for you.',
    budget: 'A budget is used up, so the queue waits for you.',
    restored: 'A backup was restored, so the queue waits for you.'
  },
  waiting: 'The queue continues when you have answered.',
  limit: 'The queue continues after the turn that waits for its provider.',
  goOn: 'Continue',
  drop: 'Drop all',
  dropped: (count: number): string => `${counted(count, 'queued message', 'queued messages')} dropped`,
  move: (text: string): string => `Move “${text}”`,
  moveHint: 'Drag, or press the arrow keys.',
  moveUp: 'Move up',
  moveDown: 'Move down',
  moved: (place: number, of: number): string => `Moved to place ${place} of ${of}`,
  more: (text: string): string => `Actions for “${text}”`,
  sendNow: 'Send now',
  addNow: 'Add to the running turn',
  steered: 'The agent has it and reads it at its next step.',
  next: 'The running turn cannot take it, so it runs next.',
  edit: 'Edit',
  editing: 'Queued message',
  save: 'Save',
  remove: 'Remove',
  removed: 'Removed from the queue',
  files: (count: number): string => counted(count, 'file', 'files'),
  from: (time: string): string => `Not before ${time}`,
  changedElsewhere: 'Another device has changed this message. Save again to replace its text.',
  begun: 'This message has left the queue. Your text is in the message box.'
}
