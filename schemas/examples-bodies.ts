const session = '02e3fd3d5b3a'
const stream = 'd1b6b0d32e7182830f1b93983e77828c'
const check = 'k7q2m4'
const comment = 'c5d81f'
const attempts = '7c1e90ab42d3'
const pull = { session_id: session, number: 12 }

/** Bodies of requests whose answers have no example, by method and path. Tests check each against its schema. */
export const bodyExamples: Readonly<Record<string, object>> = {
  // auth
  'POST /api/auth/tokens/rename': { id: 'k3v9q2', name: 'Weekly report' },
  'POST /api/auth/tokens/pair/end': { id: 'k3v9q2' },
  'POST /api/auth/passkey/rename': { id: 'AbCdEf0123456789', label: 'Ann\'s laptop' },
  'POST /api/auth/passkey/delete': { id: 'AbCdEf0123456789' },

  // sessions, projects
  'POST /api/session/delete': { session_id: session },
  'POST /api/session/rename': { session_id: session, title: 'Notes of the trip' },
  'POST /api/session/title/regenerate': { session_id: session },
  'POST /api/session/pin': { session_id: session, pinned: true },
  'POST /api/session/archive': { session_id: session, archived: true },
  'POST /api/session/move': { session_id: session, project_id: '9b1d52c7e0aa' },
  'POST /api/session/update': { session_id: session, workspace: '/home/ann/site', model: 'gpt-5.2', model_provider: 'openai' },
  'POST /api/session/draft': { session_id: session, text: 'Now add the dates', files: [] },
  'POST /api/session/attach': { session_id: session },
  'POST /api/session/branch': { session_id: session, keep_count: 2, title: 'The other way' },
  'POST /api/session/duplicate': { session_id: session },
  'POST /api/session/truncate': { session_id: session, keep_count: 2 },
  'POST /api/session/clear': { session_id: session },
  'POST /api/session/undo': { session_id: session },
  'POST /api/session/retry': { session_id: session },
  'POST /api/session/compress': { session_id: session, focus_topic: 'the dates' },
  'POST /api/session/compress/start': { session_id: session, focus_topic: 'the dates' },
  'POST /api/session/import': {
    title: 'From another service', messages: [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Hello, Ann.' }]
  },
  'POST /api/session/share': { session_id: session },
  'POST /api/share/create': { session_id: session },
  'POST /api/share/revoke': { session_id: session },
  'POST /api/session/share/revoke': { session_id: session },
  'POST /api/shares/revoke': { share_id: 'n3f8Zk2pQ7' },
  'POST /api/session/worktree/remove': { session_id: session, force: false },
  'POST /api/projects/create': { name: 'Trips', color: '#3b82f6' },
  'POST /api/projects/rename': { project_id: '9b1d52c7e0aa', name: 'Journeys' },
  'POST /api/projects/update': { project_id: '9b1d52c7e0aa', workspace: '/home/me/journeys', instructions: 'Give prices in euros.' },
  'POST /api/projects/delete': { project_id: '9b1d52c7e0aa' },

  // chat
  'POST /api/chat/resume': { stream_id: stream },
  'POST /api/session/queue': { session_id: session, action: 'add', message: 'Then translate it into German', client_id: 'q-1' },
  'POST /api/session/reviews': {
    session_id: session, comments: [{ path: 'notes.md', side: 'new', line: 1, text: 'Say hello in French, too' }]
  },
  'POST /api/session/reviews/send': { session_id: session, ids: [comment], note: 'Only these, please' },
  'POST /api/session/plan': { session_id: session, text: '1. Read notes.md\n2. Add the dates', version: 3 },
  'POST /api/session/plan/go': { session_id: session, version: 4 },
  'POST /api/session/yolo': { session_id: session, enabled: false },
  'POST /api/grants/revoke': { pattern_key: 'write:workspace' },
  'POST /api/goal': { session_id: session, text: 'All tests pass' },
  'POST /api/btw': { session_id: session, question: 'Which file was that?' },
  'POST /api/background': { session_id: session, prompt: 'Look for broken links in docs' },

  // attempts, checks
  'POST /api/attempts': { session_id: session, message: 'Make the page load faster', count: 3, check: 'npm test', budget_usd: 2 },
  'POST /api/attempts/take': { attempts_id: attempts, session_id: session },
  'POST /api/attempts/undo': { attempts_id: attempts },
  'POST /api/attempts/stop': { attempts_id: attempts },
  'POST /api/attempts/remove': { attempts_id: attempts },
  'POST /api/checks/save': { session_id: session, name: 'Tests', kind: 'test', command: 'npm test', after_turn: 'ask' },
  'POST /api/checks/delete': { session_id: session, id: check },
  'POST /api/checks/send': { session_id: session, note: 'Mend the first one only' },
  'POST /api/checks/run': { session_id: session, check_ids: [check] },
  'POST /api/checks/cancel': { session_id: session },

  // schedules, hooks, notifications
  'POST /api/crons/update': { job_id: '409b35ad098c', schedule: 'every day at 8:00' },
  'POST /api/crons/delete': { job_id: '409b35ad098c' },
  'POST /api/crons/run': { job_id: '409b35ad098c' },
  'POST /api/crons/pause': { job_id: '409b35ad098c', reason: 'on holiday' },
  'POST /api/crons/resume': { job_id: '409b35ad098c' },
  'POST /api/hooks/preview': { template: 'Look at {{issue.title}}', payload: '{"issue":{"title":"The page is blank"}}', event: 'issues' },
  'POST /api/hooks/create': { name: 'Issues', template: 'Look at {{issue.title}}', events: ['issues'], daily_budget_usd: 1 },
  'POST /api/hooks/update': { id: 'h4x8w2', enabled: false },
  'POST /api/hooks/secret': { id: 'h4x8w2' },
  'POST /api/hooks/delete': { id: 'h4x8w2' },
  'POST /api/hooks/{id}': { action: 'opened', issue: { title: 'The page is blank' } },
  'POST /api/home/seen': { at: 1795886290 },
  'POST /api/push/subscriptions': {
    endpoint: 'https://push.example.org/send/Zm9v',
    keys: {
      p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM', auth: 'tBHItJI5svbpez7KI4CCXg'
    },
    preferences: { finished_turns: false }
  },
  'DELETE /api/push/subscriptions': { endpoint: 'https://push.example.org/send/Zm9v' },

  // workspace, files, git
  'POST /api/workspaces/add': { path: '/home/ann/site', name: 'Site' },
  'POST /api/workspaces/remove': { path: '/home/ann/site' },
  'POST /api/workspaces/rename': { path: '/home/ann/site', name: 'Web site' },
  'POST /api/workspaces/reorder': { paths: ['/home/ann/site', '/home/ann/notes'] },
  'POST /api/file/create': { session_id: session, path: 'drafts/june.md', content: '# June\n', parents: true },
  'POST /api/file/rename': { session_id: session, path: 'drafts/june.md', new_name: 'july.md' },
  'POST /api/file/move': { session_id: session, path: 'drafts/july.md', dest_dir: '.' },
  'POST /api/file/create-dir': { session_id: session, path: 'drafts/2026', parents: true },
  'POST /api/file/path': { session_id: session, path: 'notes.md' },
  'POST /api/file/delete': { session_id: session, path: 'drafts', recursive: true },
  'POST /api/file/extract': { session_id: session, path: 'photos.zip', dest_dir: 'photos' },
  'POST /api/trash/restore': { session_id: session, id: '5e0c7a91d2' },
  'POST /api/trash/delete': { session_id: session, id: '5e0c7a91d2' },
  'POST /api/trash/empty': { session_id: session },
  'POST /api/workspace/upload': { session_id: session, file: 'the bytes of photo.jpg', path: 'photos' },
  'POST /api/upload/extract': { session_id: session, file: 'the bytes of photos.zip', path: 'photos' },
  'POST /api/rollback/restore': { session_id: session, checkpoint: '3f1c0d9be2a7', paths: ['notes.md'] },
  'POST /api/git/stage': { session_id: session, paths: ['notes.md'] },
  'POST /api/git/unstage': { session_id: session, paths: ['notes.md'] },
  'POST /api/git/discard': { session_id: session, paths: ['notes.md'], delete_untracked: false },
  'POST /api/git/commit': { session_id: session, message: 'Add notes' },
  'POST /api/git/commit-selected': { session_id: session, message: 'Add notes', paths: ['notes.md'] },
  'POST /api/git/fetch': { session_id: session },
  'POST /api/git/pull': { session_id: session },
  'POST /api/git/push': { session_id: session },
  'POST /api/git/checkout': { session_id: session, ref: 'main', mode: 'new', new_branch: 'dates' },
  'POST /api/git/stash-checkout': { session_id: session, ref: 'main', mode: 'local' },
  'POST /api/git/commit-message': { session_id: session },
  'POST /api/git/commit-message-selected': { session_id: session, paths: ['notes.md'] },

  // pull requests
  'POST /api/pulls/draft': { session_id: session, base: 'main' },
  'POST /api/pulls/open': { session_id: session, title: 'Add notes', body: 'Notes of the trip.', base: 'main', draft: true },
  'POST /api/pulls/ready': pull,
  'POST /api/pulls/comment': { ...pull, body: 'Done.', thread: '881' },
  'POST /api/pulls/resolve': { ...pull, thread: '881', resolved: true },
  'POST /api/pulls/mend': { ...pull, checks: ['72'], threads: ['881'] },
  'POST /api/pulls/merge': { ...pull, sha: '9f2c1e7d40b8a3516cf0e27d91b4a85c3de6f701', method: 'squash' },
  'POST /api/pulls/close': pull,
  'POST /api/forges': { host: 'git.example.org', kind: 'gitea', token: 'the-token-of-the-account' },

  // models
  'POST /api/providers': { provider: 'openai', api_key: 'sk-…' },
  'POST /api/providers/delete': { provider: 'openai' },
  'POST /api/providers/self-hosted': { provider: 'ollama', model: 'qwen3:8b', base_url: 'http://127.0.0.1:11434/v1', activate: true },
  'POST /api/providers/custom': { name: 'Our gateway', base_url: 'https://models.example.org/v1', api_key: 'sk-…', models: ['large'] },
  'POST /api/providers/test': { provider: 'openai', model: 'gpt-5.2' },
  'POST /api/model/fallbacks': { fallbacks: [{ provider: 'anthropic', model: 'claude-sonnet-4-5' }] },
  'POST /api/model/set': { scope: 'auxiliary', task: 'title_generation', model: 'gpt-5-mini', provider: 'openai' },
  'POST /api/reasoning': { effort: 'high' },
  'POST /api/default-model': { model: 'gpt-5.2', provider: 'openai' },
  'POST /api/models/refresh': { provider: 'openai' },
  'POST /api/agents/modes': { id: 'goose', modes: ['approve'] },
  'POST /api/agents/isolation': { id: 'goose', isolation: 'sandbox' },
  'POST /v1/chat/completions': { model: 'gpt-5.2', messages: [{ role: 'user', content: 'Hello' }], stream: true },
  'POST /v1/responses': { model: 'gpt-5.2', input: 'Hello', instructions: 'Answer in one sentence.' },

  // mcp, commands, plugins
  'PUT /api/mcp/servers/{name}': {
    command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/home/ann/site'], sandbox: true,
    tools: { include: ['read_file'] }
  },
  'PATCH /api/mcp/servers/{name}': { enabled: false },
  'POST /api/mcp/view/call': { session_id: session, call_id: 'call_1', tool: 'add', arguments: { by: 1 } },
  'POST /api/mcp/view/answer': { session_id: session, ask_id: '3f38b210ebab44ea', choice: 'once' },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'POST /api/commands/bundles/resolve': { command: '/release' },
  'POST /api/commands/exec': { command: '/help' },
  'POST /api/plugins': { name: 'weather', enabled: true },

  // what the agent knows, and settings
  'POST /api/memory/write': { section: 'user', content: 'Ann writes British English.\n', if_match: 'GF-NsyJx_iX1Yab8k4suJk' },
  'POST /api/memory/curate': { section: 'memory' },
  'POST /api/memory/restore': { section: 'memory', id: 7 },
  'POST /api/skills/save': {
    name: 'release-notes',
    content: '---\nname: release-notes\ndescription: How release notes are written here\n---\n\nOne sentence for each change.\n'
  },
  'POST /api/skills/inspect': { file: 'the bytes of skills.zip' },
  'POST /api/skills/import': { id: '5f0c9ae1b2d34e6788a1c0de', skills: [{ id: 'release-notes', on_conflict: 'keep_both' }], category: 'writing' },
  'POST /api/skills/import/undo': { id: '5f0c9ae1b2d34e6788a1c0de' },
  'POST /api/skills/delete': { name: 'release-notes' },
  'POST /api/skills/toggle': { name: 'release-notes', enabled: false },
  'POST /api/personality/set': { session_id: session, name: 'terse' },
  'POST /api/personality/save': { name: 'terse', description: 'Short answers', prompt: 'Answer in as few words as possible.' },
  'POST /api/personality/delete': { name: 'terse' },
  'POST /api/profile/switch': { name: 'work' },
  'POST /api/profile/create': { name: 'work', clone_from: 'default', clone_config: true },
  'POST /api/profile/delete': { name: 'work' },
  'POST /api/settings': { bot_name: 'Ada', push_quiet_from: '22:00', push_quiet_until: '07:00' },
  'POST /api/budgets': { day: { soft_usd: 5, hard_usd: 10 }, turn: { hard_tokens: 500_000 } },
  'POST /api/tts': { text: 'Hello, Ann', rate: 1.2 },
  'POST /api/transcribe': { file: 'the bytes of speech.webm', language: 'en' },
  'POST /api/updates/check': { force: true },
  'POST /api/updates/apply': { target: 'webui' },
  'POST /api/hosts/forget': { name: 'desk' }
}
