import { table } from '../ground/lookup-table.js'

/** A folder of the agent's own in the sandbox. Paths that are not listed can be read: folders directly, files as private copies. */
export interface OwnFolder {
  /** Relative to the home. */
  path: string
  /** A variable that can name another place for it. */
  variable?: string
  /**
   * Paths in it that keep the agent's changes: sessions, and files to which a renewed sign-in is written. `.`: all of it; `<workspace>`:
   * the folder that Claude Code names after the workspace.
   */
  kept: readonly string[]
  /** Folders in it that begin empty and private, because the agent runs what is in them, or needs them only for a moment. */
  fresh: readonly string[]
}

export const presetIds = ['claude-code', 'codex', 'gemini-cli', 'opencode', 'goose'] as const
export type AgentPresetId = typeof presetIds[number]

export interface AgentPreset {
  displayName: string
  /** Programs that speak the protocol, the usual one first. */
  commands: readonly [readonly string[], ...Array<readonly string[]>]
  /** How to install it on this machine, as a sentence. */
  install: string
  /** What else it needs, for people. */
  notes: readonly string[]
  /** How to sign in, as the end of a sentence. */
  signIn: string
  /** Ways to sign in without asking a person, by the variable that must be in the agent's environment. */
  authenticate: Readonly<Record<string, string>>
  /** Modes in which it is known to ask us before it does anything beyond its workspace, the best one to begin with first. */
  askingModes: readonly string[]
  /** Those of the asking modes in which it only reads. */
  readingModes: readonly string[]
  /** Variables that it needs to ask in any of its modes. */
  askingEnv: Readonly<Record<string, string>>
  /** Folders of its settings, sign-in and sessions. */
  own: readonly OwnFolder[]
  /** Settings files below the home, of which it gets a private copy. */
  ownFiles: readonly string[]
}

/**
 * OpenCode does everything without asking unless it is told otherwise. Each tool is named, because `*` alone would rank below what its own
 * settings name.
 */
const openCodeAsks = JSON.stringify({
  '*': 'ask', edit: 'ask', bash: 'ask', task: 'ask', webfetch: 'ask', websearch: 'ask', codesearch: 'ask', external_directory: 'ask',
  doom_loop: 'ask', ...allowed('read', 'grep', 'glob', 'list', 'lsp', 'skill', 'todowrite', 'todoread', 'question')
})

export const agentPresets = table<AgentPreset, AgentPresetId>({
  'claude-code': {
    displayName: 'Claude Code',
    commands: [['claude-agent-acp'], ['claude-code-acp']],
    install: 'Install it with: npm install -g @agentclientprotocol/claude-agent-acp',
    notes: [],
    signIn: 'run "claude auth login" once as the user that the service runs as, or set ANTHROPIC_API_KEY in its env',
    authenticate: {},
    askingModes: ['default', 'plan'],
    readingModes: ['plan'],
    askingEnv: {},
    own: [{
      path: '.claude', variable: 'CLAUDE_CONFIG_DIR', kept: ['.credentials.json', 'projects/<workspace>'],
      fresh: ['projects', 'shell-snapshots', 'session-env', 'debug', 'todos', 'file-history', 'statsig', 'telemetry', 'cache', 'backups']
    }],
    ownFiles: ['.claude.json']
  },
  codex: {
    displayName: 'Codex',
    commands: [['codex-acp']],
    install: 'Install it with: npm install -g @agentclientprotocol/codex-acp',
    notes: ['Its sandbox needs bubblewrap (bwrap) on Linux.'],
    signIn: 'run "codex login" once as the user that the service runs as, or set OPENAI_API_KEY in its env',
    authenticate: { CODEX_API_KEY: 'codex-api-key', OPENAI_API_KEY: 'openai-api-key' },
    askingModes: ['workspace-write', 'auto', 'read-only'],
    readingModes: ['read-only'],
    askingEnv: {},
    own: [{ path: '.codex', variable: 'CODEX_HOME', kept: ['auth.json', 'sessions'], fresh: ['log', 'tmp', '.tmp', 'cache', 'shell_snapshots'] }],
    ownFiles: []
  },
  'gemini-cli': {
    displayName: 'Gemini CLI',
    commands: [['gemini', '--acp']],
    install: 'Install it with: npm install -g @google/gemini-cli',
    notes: [],
    signIn: 'run "gemini" once as the user that the service runs as, or set GEMINI_API_KEY in its env',
    authenticate: { GEMINI_API_KEY: 'gemini-api-key' },
    askingModes: ['default', 'plan'],
    readingModes: ['plan'],
    askingEnv: {},
    own: [{ path: '.gemini', kept: ['oauth_creds.json', 'google_accounts.json', 'tmp'], fresh: ['history'] }],
    ownFiles: []
  },
  opencode: {
    displayName: 'OpenCode',
    commands: [['opencode', 'acp']],
    install: 'Install it with: npm install -g opencode-ai',
    notes: [],
    signIn: 'run "opencode auth login" once as the user that the service runs as',
    authenticate: {},
    askingModes: ['build', 'plan'],
    readingModes: ['plan'],
    askingEnv: { OPENCODE_PERMISSION: openCodeAsks },
    own: [
      { path: '.config/opencode', kept: [], fresh: [] }, { path: '.cache/opencode', kept: [], fresh: [] },
      { path: '.local/share/opencode', kept: ['.'], fresh: ['bin', 'log', 'snapshot'] }
    ],
    ownFiles: []
  },
  goose: {
    displayName: 'goose',
    commands: [['goose', 'acp']],
    install: 'Install it as its documentation says (block.github.io/goose).',
    notes: [],
    signIn: 'run "goose configure" once as the user that the service runs as',
    authenticate: {},
    askingModes: ['approve', 'chat'],
    readingModes: ['chat'],
    askingEnv: { GOOSE_MODE: 'approve' },
    own: [{ path: '.config/goose', kept: [], fresh: [] }, { path: '.local/share/goose', kept: ['.'], fresh: ['bin'] }],
    ownFiles: []
  }
})

function allowed (...tools: string[]): Record<string, 'allow'> {
  return Object.fromEntries(tools.map((tool) => [tool, 'allow']))
}
