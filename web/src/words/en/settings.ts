/** The label and note of each setting. Settings of other clients are shown by their keys. */
const keys: Record<string, readonly [label: string, note: string]> = {
  language: ['Default language', 'For devices on which no language was chosen.'],
  font_size: ['Text size', 'On all devices, in addition to their own zoom.'],
  rtl: ['Right to left', 'Mirrors the layout; each text keeps its own direction.'],
  fade_text_effect: ['Fade in new text', 'For clients that show text as it is written.'],
  bot_name: ['Name of the assistant', 'The name shown here. Empty: the name from the environment.'],
  default_workspace: [
    'Folder of new chats', 'An existing folder, here or on another machine (name:/path). Empty: the one from the environment.'
  ],
  max_tokens: ['Longest answer, in tokens', 'Kept in config.yaml. Empty: the provider’s own limit.'],
  show_thinking: ['Show reasoning', 'For models that share it.'],
  onboarding_completed: ['First steps done', 'Off: an empty chat shows how to connect a model.'],
  send_key: ['Send with', 'The other key inserts a new line.'],
  default_message_mode: [
    'Messages during a turn', 'Steer: the agent reads it at once. Queue: it is sent after this turn. Interrupt: it stops the turn.'
  ],
  chat_activity_display_mode: ['Steps in the chat', 'How the steps of a turn are shown.'],
  worklog_details_expanded_default: ['Open the steps at once', 'The steps of a turn are expanded from the start.'],
  auto_scroll_follow: ['Follow the answer', 'The view stays at the end until you scroll up.'],
  render_user_markdown: ['Format your own messages', 'Markdown in your messages is rendered.'],
  large_text_paste_as_attachment: ['Long pasted text becomes a file', 'The box stays readable.'],
  hide_empty_state_suggestions: ['Hide the examples in empty chats', ''],
  new_chat_on_workspace_switch: ['Start a new chat when the folder changes', ''],
  auto_title_refresh_every: ['Refresh chat titles', 'A title that you did not set follows the topic of the chat.'],
  pinned_sessions_limit: ['Maximum number of pinned chats', ''],
  show_cli_sessions: ['Chats of other programs', 'Lists chats of command-line agents on this machine, to read and to branch.'],
  show_claude_code_sessions: ['Chats of Claude Code', 'Lists chats of Claude Code in the same way.'],
  show_cron_sessions: ['Chats of scheduled tasks', 'Lists their runs among the chats.'],
  show_token_usage: ['Show tokens', 'How many a turn has used.'],
  show_tps: ['Show the speed', 'Tokens per second.'],
  notifications_enabled: ['Browser notifications', 'While a window is open, in clients that show them.'],
  sound_enabled: ['Sound at the end of a turn', 'For clients that play one.'],
  tts_enabled: ['Read answers aloud', 'A button at every answer.'],
  tts_auto_read: ['Read every answer automatically', ''],
  voice_mode_button: ['Voice mode', 'A button for a spoken conversation.'],
  voice_continuous: ['Keep listening', 'After an answer it listens again.'],
  raw_audio_mode: ['Send the recording as a file', 'Instead of its text.'],
  tts_engine: ['Speech engine', 'This device, or the server (config.yaml, tts).'],
  tts_voice: ['Voice', 'Its name in the engine. Empty: the default voice.'],
  tts_rate: ['Speed', '1 is normal.'],
  tts_pitch: ['Pitch', '1 is normal.'],
  voice_silence_ms: ['Silence that ends a recording', 'In milliseconds.'],
  api_redact_enabled: [
    'Mask credentials', 'Keys and passwords are masked wherever texts leave the service. Shared pages and errors are always masked.'
  ],
  check_for_updates: ['Check for updates automatically', 'Off: checks only when you ask for it here.'],
  update_channel: ['Channel', 'Stable: releases. Experimental: the newest state.'],
  session_ttl_seconds: ['Duration of a sign-in', 'In seconds. Older sign-ins end at once.']
}

export const settings = {
  title: 'Settings',
  search: 'Search settings',
  noMatches: (text: string): string => `No setting matches “${text}”.`,
  all: 'All settings',
  keys,
  unnamed: (key: string): string => key.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase()),
  otherClients: 'These are kept for other clients of this service. This app does not act on them.',
  choice: (value: string): string => ({
    0: 'Never', 5: 'Every 5 turns', 10: 'Every 10 turns', 20: 'Every 20 turns', small: 'Small', default: 'Default', large: 'Large',
    xlarge: 'Very large', enter: 'Enter', 'ctrl+enter': 'Ctrl + Enter', 'shift+enter': 'Shift + Enter', queue: 'Queue',
    interrupt: 'Interrupt', steer: 'Steer', compact_worklog: 'One line that expands', transparent_stream: 'Every step',
    hide_all_activity: 'Hidden', browser: 'This device', engine_default: 'The server: espeak-ng', engine_keyed_a: 'The server: ElevenLabs',
    engine_keyed_b: 'The server: OpenAI', stable: 'Stable', experimental: 'Experimental', light: 'Light', dark: 'Dark',
    system: 'Match the device', en: 'English', zh: '简体中文', compact: 'Compact', detailed: 'Detailed', auto: 'Automatic', on: 'On', off: 'Off'
  }[value] ?? value),
  sections: {
    appearance: 'Appearance', assistant: 'Assistant', chats: 'Chats', notifications: 'Notifications', speech: 'Speech', privacy: 'Privacy',
    grants: 'Standing permissions', personalities: 'Personalities', security: 'Security', devices: 'Devices and tokens', audit: 'Audit log',
    machines: 'Machines', profiles: 'Profiles', mcp: 'MCP servers', agents: 'Agents', plugins: 'Plugins', updates: 'Updates',
    transfer: 'Import and export', shares: 'Shared pages', archive: 'Archived chats', network: 'Network', budgets: 'Budgets',
    shortcuts: 'Keyboard shortcuts', advanced: 'Other clients', diagnostics: 'Diagnostics', about: 'About'
  },
  olderChats: 'List older chats as well',
  rules: 'Standing permissions',
  rulesNote: 'See and revoke what you always allow',
  theme: 'Theme',
  language: 'Language',
  onThisDevice: 'On this device.',
  asService: 'The default language, or the browser’s',
  saved: (name: string): string => `${name}: saved`,
  needsNumber: (min: number, max: number): string => `Enter a number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`,
  broken: 'config.yaml cannot be read. The previous settings stay in use.',
  problems: 'Problems in config.yaml',
  line: (line: number): string => `Line ${line}`,
  models: 'Models',
  modelsNote: 'Providers, keys and the default model.',
  networkNote:
    'Address, port, proxy and allowed origins are set in the environment of the service and need a restart. See docs/configuration.md.',
  budgetsNote:
    'Limits for tokens and money in this profile. A soft limit warns, a hard limit stops. They are stored in config.yaml. Empty means ' +
    'no limit.',
  needsMoney: 'Enter an amount above 0, or leave this empty.',
  needsTokens: 'Enter a whole number above 0, or leave this empty.',
  toUsage: 'Open Usage',
  usedToday: (tokens: number, usd: number): string => `Used today: ${tokens.toLocaleString('en')} tokens, $${usd.toFixed(2)}`,
  scopes: { turn: 'Per turn', session: 'Per chat', job: 'Per task run', day: 'Per day' },
  limits: { soft_usd: 'Soft, US$', hard_usd: 'Hard, US$', soft_tokens: 'Soft, tokens', hard_tokens: 'Hard, tokens' },
  gate: {
    open: 'No sign-in is needed: anyone who can reach this address can use the service.',
    closed: 'A sign-in is required.',
    password: 'Password',
    pinned: 'The password is set in the environment of the service and changed there.',
    set: 'Set a password',
    change: 'Change the password',
    clear: 'Remove the password',
    clearNote: 'Ends all sign-ins, deletes all passkeys, and leaves the service open.',
    current: 'Current password',
    next: 'New password',
    again: 'Repeat the new password',
    differ: 'The two do not match.',
    empty: 'It cannot be empty.',
    changed: 'The password is changed. Every other sign-in has ended.',
    cleared: 'The password is removed. The service is open.',
    reveal: 'Show the password',
    acknowledge: 'I know that this service is open',
    signOut: 'Sign out',
    signOutNote: 'Ends the sign-in of this browser. To end all others, change the password.'
  },
  passkeys: {
    title: 'Passkeys',
    off: 'Passkeys are switched off (SVC_WEBUI_PASSKEY or webui_passkey_enabled).',
    needsGate: 'Set a password first: passkeys are an addition to it.',
    unsafe: 'This browser supports passkeys only over https or on localhost.',
    none: 'No passkeys yet.',
    add: 'Add a passkey',
    nameOf: 'Name of the passkey',
    usual: 'This device',
    added: (name: string): string => `Passkey “${name}” is added.`,
    cancelled: 'No passkey was created. This device may already have one.',
    rename: 'Rename',
    renamed: (name: string): string => `Renamed to “${name}”.`,
    remove: 'Delete',
    removeTitle: (name: string): string => `Delete passkey “${name}”?`,
    removeNote: 'It can no longer be used to sign in, and its sign-ins end. This cannot be undone.',
    removed: (name: string): string => `Passkey “${name}” is deleted.`,
    used: (when: string): string => `Last used ${when}`,
    unused: 'Never used',
    made: (when: string): string => `Created ${when}`,
    passwordless: 'Passkeys only',
    passwordlessNote: 'Passwords are no longer accepted.'
  },
  oidc: {
    title: 'OpenID Connect',
    on: (name: string): string => `People can sign in with ${name}. It is configured in the environment of the service.`,
    off: 'Not configured. It is configured in the environment of the service.'
  },
  push: {
    title: 'Push notifications',
    obstacles: {
      insecure: 'This page was loaded over plain http. Browsers accept push notifications only over https or on localhost.',
      'install-first': 'On an iPhone or iPad, add the app to the home screen first and open it there.',
      unsupported: 'This browser does not support push notifications.',
      blocked: 'The browser blocks notifications from this page. Allow them in its settings for this page, then turn them on here.'
    },
    elsewhere: 'Choose its notifications in that browser.',
    unavailable: (reason: string): string => `${reason}.`,
    subscribe: 'Notify this browser',
    unsubscribe: 'Stop',
    here: 'This browser',
    added: 'This browser gets notifications from now on.',
    lastError: (reason: string): string => `The last one did not arrive: ${reason}`,
    wishes: { approvals: 'Approvals', questions: 'Questions', finished_turns: 'Finished turns', finished_jobs: 'Finished tasks' }
  },
  updates: {
    version: (version: string): string => `Version ${version}`,
    look: 'Check for updates',
    unknown: 'Not checked yet.',
    newest: 'This is the newest version.',
    behind: (count: number): string =>
      count === 1 ? 'There is a newer version, 1 change ahead.' : `There is a newer version, ${count} changes ahead.`,
    whatIsNew: 'What is new',
    apply: 'Update and restart',
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
    importTitle: 'Import a chat',
    importNote: 'A JSON export, or messages in chat-completions form.',
    choose: 'Choose a file',
    tooLarge: (mebibytes: number): string => `This file is larger than ${mebibytes} MiB, the most that the service accepts at once.`,
    unreadable: 'The browser could not read this file.',
    notJson: 'This file is not an export: it is not JSON with messages.',
    leftOut: (system: number, context: number) =>
      `Left out: ${system} system messages, ${context} texts for the model that the chat does not show.`,
    imported: (title: string): string => `“${title}” is imported.`,
    exportTitle: 'Export a chat',
    exportNote: 'JSON can be imported again; the page is a single file for reading.',
    chat: 'Chat',
    json: 'JSON',
    html: 'Page (HTML)',
    noChats: 'No chats yet.',
    backups: 'Backups',
    backupsNote: 'docs/operations.md explains how to make and restore backups.',
    every: (hours: number): string => hours === 0 ? 'No automatic backups.' : `Every ${hours} hours.`,
    lastBackup: (when: string): string => `Latest: ${when}`,
    noBackup: 'No backups yet.',
    kept: (count: number): string => `${count} kept`
  },
  shares: {
    note: 'Pages that anyone who has the link can read without signing in. Share a chat from its menu.', none: 'Nothing is shared.',
    revoke: 'Stop sharing', revoked: 'The page is no longer shared.', made: (when: string): string => `Shared ${when}`
  },
  grants: {
    note: 'In every chat of this profile, the agent does this without asking. After you revoke a rule, it asks again at once.',
    none: 'No standing permissions. “Always” on an approval card adds one here.',
    revoke: 'Revoke',
    revoked: (rule: string): string => `The agent asks again from now on: ${rule}`
  },
  personalities: {
    note: 'Ways for the agent to speak. Choose one in a chat, beside its model.',
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
    deleted: (name: string): string => `“${name}” is deleted.`,
    saved: (name: string): string => `“${name}” is saved. It applies from the next turn.`,
    name: 'Name',
    prompt: 'How it speaks',
    promptHint: 'The model reads this before each turn.',
    description: 'Description for lists',
    tone: 'Tone',
    style: 'Style'
  },
  archive: { none: 'No chat is archived.', back: 'Restore', brought: (title: string): string => `“${title}” restored.`, more: 'Show more' },
  shortcuts: {
    palette: 'Search everything', send: 'Send', line: 'New line', stop: 'Close the topmost panel, or stop',
    approve: 'Allow once, on a card that has the focus', session: 'Allow for this chat, on a card that has the focus',
    deny: 'Deny, on a card that has the focus', keys: { approve: 'Enter', session: 'S', deny: 'Esc', stop: 'Esc', palette: 'Ctrl K' }
  },
  about: {
    version: 'Version', node: 'Node', sqlite: 'SQLite', uptime: 'Up since', memory: 'Memory', database: 'Database', backup: 'Backup',
    agent:
      'Agent', sandbox: 'Sandbox', git: 'Git', state: 'State', ok: 'All is well', degraded: 'Something needs attention', running: 'Running',
    resting: 'Idle: it starts when it is needed', docs: 'Interface documentation',
    licence:
      'The licence is in the file LICENSE of the package. The licences of its dependencies are in their packages.', writable: 'writable',
    readOnly: 'read-only'
  }
}
