export const common = {
  close: 'Close',
  cancel: 'Cancel',
  retry: 'Try again',
  save: 'Save',
  delete: 'Delete',
  undo: 'Undo',
  copy: 'Copy',
  copied: 'Copied',
  more: 'More',
  loading: 'Loading',
  whatToDo: 'What to do about it',
  machine: 'Machine',
  unreachable: 'The service cannot be reached. Try again in a moment.',
  failed: (status: number): string => `The service answered with status ${status}. Try again in a moment.`
}
