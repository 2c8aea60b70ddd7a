export const devices = {
  note:
    'Scripts, apps, editors and other browsers that have access without your password. Each may do only what its scope allows, ' +
    'until it is revoked.',
  none: 'No devices yet.',
  pair: 'Pair a device',
  showCode: 'Show the code',
  pairNote: 'The device gets its token through a one-time code. Nothing secret stays on the screen.',
  make: 'Create a token',
  makeNote: 'For scripts and apps that take a token. It is shown once.',
  name: 'Name',
  nameHint: 'Such as “phone” or “backup script”.',
  noName: 'Give it a name, so that you recognise it when you want to revoke it.',
  scope: 'What it may do',
  scopes: { read: 'Read', chat: 'Chat', approve: 'Approve', admin: 'Administer' },
  scopeNotes: {
    read: 'Reads chats, files and settings. Changes nothing.',
    chat: 'Also starts and stops turns, and organises chats. What the agent asks waits for you.',
    approve: 'Also answers what the agent asks, and changes files and repositories in workspaces. Whoever approves commands runs them.',
    admin: 'Also changes settings, keys, tasks, memory and other devices: everything except how people sign in.'
  },
  ends: 'Expires',
  ending: { never: 'When it is revoked', month: 'After 30 days', quarter: 'After 90 days', year: 'After a year' },
  token: 'The token',
  tokenNote: 'Copy it now: it is not shown again. Send it as the header Authorization: Bearer …',
  copy: 'Copy the token',
  scan: 'Scan this with the camera of the device, or open its link there.',
  local:
    'Only this computer can reach the address of this page, so another device cannot open the link. Enter the code on the page /pair ' +
    'there instead.',
  code: 'Code',
  waiting: (until: string): string => `Waiting for the device. The code works once, until ${until}.`,
  codeOver: 'The code has expired. Start again.',
  paired: (name: string): string => `“${name}” paired.`,
  browser: 'Browser',
  here: 'This device',
  made: (when: string): string => `Created ${when}`,
  madeBy: (name: string): string => `by “${name}”`,
  used: (when: string): string => `Last used ${when}`,
  unused: 'Never used',
  until: (when: string): string => `Expires ${when}`,
  over: 'Expired',
  rename: 'Rename',
  renamed: (name: string): string => `Renamed to “${name}”.`,
  revoke: 'Revoke',
  revokeTitle: (name: string): string => `Revoke “${name}”?`,
  revokeNote:
    'It loses access at once, and so does every device that it paired. Turns, goals and tasks that it started continue. This cannot be ' +
    'undone.',
  revoked: (count: number): string => count === 1 ? 'It is revoked.' : `${count} are revoked: it, and those that it paired.`
}
