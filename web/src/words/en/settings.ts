import { dollarsIn } from '../dollars.js'

const dollars = dollarsIn('en', 0)

/** The label and note of each setting and part of a page. */
const keys: Record<string, readonly [label: string, note: string]> = {
  theme: ['Theme', 'On this device.'],
  density: ['Density', 'On this device, with a mouse. Compact shows more rows.'],
  own_language: ['Language', 'On this device.'],
  language: ['Default language', 'For devices on which you chose no language.'],
  font_size: ['Text size', 'On all devices, in addition to their own zoom.'],
  rtl: ['Right to left', 'Mirrors the layout; each text keeps its own direction.'],
  pinned_sessions_limit: ['Maximum number of pinned chats', 'Pinned chats stay at the top of the list.'],
  show_cron_sessions: ['Chats of scheduled tasks', 'Lists the runs of tasks among the chats.'],
  show_cli_sessions: ['Chats of other programs', 'Lists chats of command-line agents on this machine, to read and to branch.'],
  show_claude_code_sessions: ['Chats of Claude Code', 'Lists chats of Claude Code in the same way.'],
  send_key: ['Send with', 'The other key begins a new line. Ctrl or ⌘ with Enter always sends.'],
  hide_empty_state_suggestions: ['Hide the examples in empty chats', 'The start page then has the message box alone.'],
  onboarding_completed: ['First steps done', 'Off: an empty chat shows how to connect a model.'],
  single_keys: ['Single-key shortcuts', 'J and K move between chats while you are not typing. On this device.'],
  shortcuts: ['All shortcuts', 'Every key, and what it does.'],
  push: ['Push notifications', 'This device tells you what is waiting and what is done, even when no window is open.'],
  push_quiet_from: ['Quiet hours from', 'Notifications are held from then on. Empty: no quiet hours.'],
  push_quiet_until: ['Quiet hours until', 'Held notifications arrive then, everything that ended in a single one.'],
  push_quiet_waiting: ['Let approvals and questions through', 'They notify you in quiet hours, too.'],
  push_digest_at: ['Daily digest at', 'One notification a day says what ended well, instead of one each time. Empty: no digest.'],
  push_time_zone: ['Time zone of these times', 'Such as Europe/Berlin. Empty: the server’s time zone.'],
  tts_enabled: ['Read answers aloud', 'A button at every answer.'],
  tts_auto_read: ['Read every answer automatically', 'Starts when the answer is complete.'],
  voice_mode_button: ['Voice mode', 'A button for a spoken conversation.'],
  voice_continuous: ['Keep listening', 'After an answer, voice mode listens again.'],
  tts_engine: ['Speech engine', 'This device, or the server.'],
  tts_rate: ['Speed', '1 is normal.'],
  tts_pitch: ['Pitch', '1 is normal.'],
  voice_silence_ms: ['Silence that ends a recording', 'A longer pause lets you think.'],
  bot_name: ['Name of the assistant', 'Shown at the top of the list and when you sign in. Empty: the name that the administrator set.'],
  default_workspace: [
    'Folder of new chats', 'An existing folder, here or on another machine (name:/path). Empty: the folder that the administrator set.'
  ],
  max_tokens: ['Longest answer', 'Empty: the provider’s own limit.'],
  auto_title_refresh_every: ['Refresh chat titles', 'A title that you did not set follows the topic of the chat.'],
  personalities: ['Personalities', 'Ways for the agent to speak. Choose one in a chat, beside its model.'],
  default_model: ['Default model', 'Answers in new chats. Fallbacks and models for small tasks are in the same place.'],
  provider_keys: ['Provider keys', 'The keys of OpenAI, Anthropic and others stay on your server.'],
  rules: ['Standing rules', 'In every chat of this profile, the agent does this without asking. After you revoke a rule, it asks again at once.'],
  agents: [
    'Agents from other makers',
    'They can run turns in place of the built-in agent. Each uses only modes in which it asks before it acts, unless you allow another.'
  ],
  budget_turn: ['Budget per turn', 'Warns or stops within one answer.'],
  budget_session: ['Budget per chat', 'Warns or stops when a chat has used this much.'],
  budget_attempts: ['Budget per set of attempts', 'Stops all attempts at one task together.'],
  budget_job: ['Budget per task run', 'Warns or stops one run of a scheduled task.'],
  budget_day: ['Budget per day', 'Warns or stops everything in this profile until midnight.'],
  profiles: ['Profiles', 'Each has its own models, keys, memory and settings.'],
  password: ['Password', 'Protects this service. A change ends every other sign-in.'],
  passkeys: ['Passkeys', 'Sign in with a fingerprint, a face or a security key.'],
  oidc: ['Single sign-on', 'Sign in with an account that you have elsewhere (OpenID Connect).'],
  session_ttl_seconds: ['Stay signed in for', 'Older sign-ins end at once.'],
  sign_out: ['Sign out', 'Ends the sign-in of this browser. To end all others, change the password.'],
  pairing: ['Pair a device', 'A phone or another browser gets access with a one-time code.'],
  tokens: ['Tokens for programs', 'Elsewhere they are called API keys. Each may do only what its scope allows, until you revoke it.'],
  shares: ['Shared pages', 'Anyone who has the link can read them. Stop sharing here.'],
  tool_servers: ['MCP servers', 'Give the agent more tools, such as a calendar or a database.'],
  machines: ['Machines', 'Other computers on which the agent can work.'],
  plugins: ['Plugins', 'Folders with commands, skills and MCP servers, off until you have reviewed them.'],
  api_redact_enabled: [
    'Mask credentials', 'Keys and passwords are masked wherever text leaves the server. Shared pages and errors are always masked.'
  ],
  import: ['Import a chat', 'A JSON export, or messages in chat-completions form.'],
  export: ['Export a chat', 'You can import JSON again; the page is a single file for reading.'],
  backups: ['Backups', 'Copies of the database, made automatically.'],
  archive: ['Archived chats', 'Kept, but not in the list. Unarchive them here.'],
  audit: ['Audit log', 'Who changed, allowed or signed in to what, and when.'],
  diagnostics: ['Diagnostics', 'Finds what is wrong with the service and the connection, and says how to fix it.'],
  version: ['Version', 'What runs here, what is new, and the licence.'],
  check_for_updates: ['Check for updates automatically', 'Off: checks only when you ask for it here.'],
  update_channel: ['Channel', 'Stable: releases. Experimental: the newest state.'],
  network: ['Network', 'The address, port, proxy and allowed origins of the service.']
}

export const settings = {
  title: 'Settings',
  search: 'Search settings',
  clearSearch: 'Clear the search',
  hits: (count: number, text: string): string =>
    `${count === 0 ? 'No settings' : count === 1 ? '1 setting' : `${count} settings`} for “${text}”`,
  toMove: 'to move',
  toChange: 'to change',
  notMeant: 'Not what you meant?',
  ask: (text: string): string => `Ask the agent about “${text}”`,
  question: (text: string): string => `Which setting of this app has to do with “${text}”, and what does it do?`,
  open: 'Open',
  all: 'All settings',
  inGroup: (group: string, page: string): string => `${group}, ${page}`,
  byAdministrator: 'Set by the administrator.',
  keys,
  units: { session_ttl_seconds: 'days', voice_silence_ms: 'seconds', max_tokens: 'tokens' } as Readonly<Record<string, string>>,
  choice: (value: string): string => ({
    0: 'Never', 5: 'Every 5 turns', 10: 'Every 10 turns', 20: 'Every 20 turns', small: 'Small', default: 'Default', large: 'Large',
    xlarge: 'Very large', enter: 'Enter', 'ctrl+enter': 'Ctrl Enter', 'shift+enter': 'Shift Enter', browser: 'This device', engine_default: 'The server: espeak-ng', engine_keyed_a: 'The server: ElevenLabs',
    engine_keyed_b: 'The server: OpenAI', stable: 'Stable', experimental: 'Experimental', light: 'Light', dark: 'Dark',
    system: 'Match the device', comfortable: 'Comfortable', compact: 'Compact'
  }[value] ?? value),
  groups: { you: 'You', agent: 'Agent', access: 'Access', connections: 'Connections', data: 'Data' },
  pages: {
    appearance: 'Appearance', writing: 'Writing', shortcuts: 'Shortcuts', notifications: 'Notifications', voice: 'Voice',
    behaviour: 'Behaviour', models: 'Models', permissions: 'Permissions', budgets: 'Budgets', profiles: 'Profiles',
    'sign-in': 'Sign-in', devices: 'Devices and tokens', shares: 'Shared pages', 'tool-servers': 'MCP servers', machines: 'Machines',
    plugins: 'Plugins', privacy: 'Privacy', transfer: 'Import and export', archive: 'Archive', audit: 'Audit log',
    diagnostics: 'Diagnostics', about: 'About'
  },
  olderChats: 'List older chats as well',
  asService: 'Same as the default',
  saved: (name: string): string => `${name}: saved`,
  needsNumber: (min: number, max: number): string => `Enter a number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`,
  broken: 'The configuration cannot be read. The previous settings stay in use.',
  problems: 'Problems in the configuration',
  /** `said`: the service's own sentence. */
  problem: (level: 'error' | 'warning', said: string): string => said,
  line: (line: number): string => `Line ${line}`,
  budgetsNote: 'Warn: you get a notice. Stop: the agent stops and asks you. Empty means no limit.',
  needsMoney: 'Enter an amount above 0, or leave this empty.',
  needsTokens: 'Enter a whole number above 0, or leave this empty.',
  toUsage: 'Open Usage',
  usedToday: (tokens: number, usd: number): string => `Used today: ${tokens.toLocaleString('en')} tokens, ${dollars(usd)}`,
  limits: { soft_usd: 'Warn, US$', hard_usd: 'Stop, US$', soft_tokens: 'Warn, tokens', hard_tokens: 'Stop, tokens' },
  gate: {
    open: 'No sign-in is needed: anyone who can reach this address can use the service.',
    closed: 'A sign-in is required.',
    set: 'Set a password',
    change: 'Change the password',
    clear: 'Remove the password',
    clearNote: 'Ends all sign-ins, deletes all passkeys, and leaves the service open.',
    current: 'Current password',
    next: 'New password',
    again: 'Repeat the new password',
    differ: 'The two do not match.',
    empty: 'It cannot be empty.',
    changed: 'Password changed. Every other sign-in has ended.',
    cleared: 'Password removed. The service is open.',
    reveal: 'Show the password',
    acknowledge: 'I know that this service is open',
    signOut: 'Sign out'
  },
  passkeys: {
    off: 'Passkeys are off on this service. Its administrator can turn them on.',
    needsGate: 'Set a password first: passkeys work in addition to it.',
    unsafe: 'This browser supports passkeys only over https or on localhost.',
    none: 'No passkeys yet.',
    add: 'Add a passkey',
    nameOf: 'Name of the passkey',
    usual: 'This device',
    added: (name: string): string => `Passkey “${name}” added.`,
    cancelled: 'No passkey was created. This device may already have one.',
    rename: 'Rename',
    renamed: (name: string): string => `Renamed to “${name}”.`,
    remove: 'Delete',
    removeTitle: (name: string): string => `Delete passkey “${name}”?`,
    removeNote: 'It can no longer be used to sign in, and its sign-ins end. This cannot be undone.',
    removed: (name: string): string => `Passkey “${name}” deleted.`,
    used: (when: string): string => `Last used ${when}`,
    unused: 'Never used',
    made: (when: string): string => `Created ${when}`,
    passwordless: 'Passkeys only',
    passwordlessNote: 'Passwords are no longer accepted.'
  },
  oidc: {
    title: 'OpenID Connect',
    on: (name: string): string => `People can sign in with ${name}. Set by the administrator.`,
    off: 'Not set up. The administrator can add a provider.'
  },
  push: {
    obstacles: {
      insecure: 'This page was loaded over plain http. Browsers accept push notifications only over https or on localhost.',
      'install-first': 'On an iPhone or iPad, add the app to the home screen first and open it there.',
      unsupported: 'This browser does not support push notifications.',
      blocked: 'The browser blocks notifications from this page. Allow them in its settings for this page, then turn them on here.'
    },
    elsewhere: 'Choose its notifications in that browser.',
    unavailable: {
      no_contact: 'Push services want to know whom to reach about this service. Open the app at its public https address once, or set SVC_WEBUI_PUSH_CONTACT in the environment of the service and restart it.',
      no_keys: 'The keys for notifications could not be stored yet. Check the disk of the service, then restart it.'
    },
    guide: 'How notifications reach your phone',
    subscribe: 'Notify this browser',
    unsubscribe: 'Stop',
    here: 'This browser',
    added: 'This browser gets notifications from now on.',
    lastError: (reason: string): string => `The last one did not arrive: ${reason}`,
    wishes: { approvals: 'Approvals', questions: 'Questions', finished_turns: 'Finished turns', finished_jobs: 'Finished tasks', pull_requests: 'Pull requests' }
  },
  updates: {
    byHand: 'Stop the service, run this line in a terminal, and start the service again.',
    look: 'Check for updates',
    unknown: 'Not checked yet.',
    newest: 'This is the newest version.',
    behind: (count: number): string =>
      count === 1 ? 'A newer version is available, 1 change ahead.' : `A newer version is available, ${count} changes ahead.`,
    whatIsNew: 'What is new',
    apply: 'Update and restart',
    applyNow: (turns: number): string => `Update now, and end ${turns === 1 ? 'the running turn' : `${turns} running turns`}`,
    wait: 'Update when they have ended',
    waits: (turns: number): string => turns === 0 ? 'The update begins now.' : `The update waits for ${turns === 1 ? 'a running turn' : `${turns} running turns`}, and then starts automatically.`,
    cancel: 'Cancel the update',
    applying: 'The service is updating. This can take a few minutes.',
    restarting: 'The service is restarting. This page reconnects automatically.',
    newer: (to: string, from: string | null): string =>
      from === null ? `Version ${to} is available.` : `Version ${to} is available; this is ${from}.`,
    off: 'Update checks are turned off below. You can check once here.',
    otherChannel: 'That was the result for the other channel. Check again.',
    lost: 'The connection was lost while the service was updating. The result is shown here as soon as it answers.',
    reload: 'Reload this page to use the new version.',
    slow: 'The service has not come back yet. Check its log.',
    dirty: 'The files of the service have local changes. They are stashed for the update and restored after it.',
    last: (message: string): string => `Last update: ${message}`,
    checkedAt: (when: string): string => `Checked ${when}`
  },
  transfer: {
    choose: 'Choose a file',
    tooLarge: (mebibytes: number): string => `This file is larger than ${mebibytes} MiB, the most that the service accepts at once.`,
    unreadable: 'The browser could not read this file.',
    notJson: 'This file is not an export: it is not JSON with messages.',
    leftOut: (system: number, context: number) =>
      `Left out: ${system} system messages, ${context} texts for the model that the chat does not show.`,
    imported: (title: string): string => `“${title}” imported.`,
    chat: 'Chat',
    json: 'JSON',
    html: 'Page (HTML)',
    chooseChat: 'Choose a chat…',
    noChats: 'No chats yet.',
    every: (hours: number): string =>
      hours === 0
        ? 'No automatic backups.'
        : hours === 24 ? 'Once a day.' : hours % 24 === 0 ? `Every ${hours / 24} days.` : `Every ${hours} hours.`,
    lastBackup: (when: string): string => `Latest: ${when}.`,
    noBackup: 'No backups yet.',
    kept: (count: number): string => `${count} kept.`
  },
  shares: {
    note: 'Pages that anyone who has the link can read without signing in. Share a chat from its menu.', none: 'Nothing is shared.',
    revoke: 'Stop sharing', revoked: 'The page is no longer shared.', made: (when: string): string => `Shared ${when}`
  },
  grants: {
    none: 'No standing rules. “Always” on an approval card adds one here.',
    groups: { command: 'Commands, with any arguments', net: 'Addresses on the network', mcp: 'Tools of MCP servers', other: 'Other actions' },
    revoke: 'Revoke',
    revoked: (rule: string): string => `The agent asks again from now on: ${rule}`
  },
  personalities: {
    none: 'No personalities yet. Try one:',
    example: {
      name: 'Patient teacher',
      prompt:
        'Explain like a patient teacher: first the idea in one sentence, then an example, then the details. Ask whether it was understood.',
      description: 'Explains step by step'
    },
    create: 'New personality',
    edit: 'Edit',
    editTitle: (name: string): string => `Edit “${name}”`,
    delete: 'Delete',
    deleteTitle: (name: string): string => `Delete “${name}”?`,
    deleteNote: 'Chats that use it continue without one from their next turn.',
    deleted: (name: string): string => `“${name}” deleted.`,
    saved: (name: string): string => `“${name}” saved. It applies from the next turn.`,
    name: 'Name',
    prompt: 'How it speaks',
    promptHint: 'The model reads this before each turn.',
    description: 'Description for lists',
    tone: 'Tone',
    style: 'Style'
  },
  archive: { none: 'No chat is archived.', back: 'Unarchive', brought: (title: string): string => `“${title}” unarchived.`, more: 'Show more' },
  shortcuts: {
    send: 'Send', line: 'New line', stop: 'Close the topmost panel, or stop',
    approve: 'Allow once, on a card that has the focus', session: 'Allow for this chat, on a card that has the focus',
    deny: 'Deny, on a card that has the focus', keys: { approve: 'Enter', session: 'S', deny: 'Esc', stop: 'Esc' }
  },
  about: {
    backups: { failed: 'The last one failed', running: 'Running', none: 'None yet' },
    sandboxes: {
      bwrap: 'Commands run in it, without network', container: 'The container: commands run in it without asking',
      none: 'None: every command asks first'
    },
    node: 'Node', sqlite: 'SQLite', uptime: 'Up since', memory: 'Memory', database: 'Database', backup: 'Backup',
    agent:
      'Agent', sandbox: 'Sandbox', git: 'Git', state: 'State', ok: 'All is well', degraded: 'Something needs attention', running: 'Running',
    resting: 'Idle: it starts when it is needed', help: 'Documentation', docs: 'Interface of the service, for programs',
    licence: 'The service is under the MIT licence.', licences: 'Licences of what it contains', writable: 'writable',
    readOnly: 'read-only'
  }
}
