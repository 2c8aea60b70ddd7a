import t from '#test'
import { auditKindNames, type AuditKind } from '../../schemas/audit.js'
import { start } from '../support/app.js'

const reads = 'it reads'
const own = 'it changes what its own person sees, and can be changed back'
const conversation = 'the conversation itself says what was said and done, and by whom'
const files = 'what a file or a repository says is kept by checkpoints and git; what is lost for good is recorded'
const list = 'a list to choose from; what is in it stays'

/** What is recorded of each route that changes something. */
const recorded: Record<string, AuditKind[]> = {
  'POST /api/auth/login': ['auth.sign_in'],
  'POST /login': ['auth.sign_in'],
  'POST /api/auth/passkey/login': ['auth.sign_in'],
  'GET /api/auth/oidc/callback': ['auth.sign_in'],
  'POST /api/auth/logout': ['auth.sign_out', 'device.revoked'],
  'POST /api/auth/tokens/create': ['device.created'],
  'POST /api/auth/tokens/rename': ['device.renamed'],
  'POST /api/auth/tokens/revoke': ['device.revoked'],
  'POST /api/auth/tokens/pair': ['pairing.begun'],
  'POST /api/auth/tokens/pair/end': ['pairing.ended'],
  'POST /api/auth/pair': ['pairing.completed', 'auth.sign_in'],
  'POST /api/auth/passkey/register': ['passkey.registered'],
  'POST /api/auth/passkey/rename': ['passkey.renamed'],
  'POST /api/auth/passkey/delete': ['passkey.deleted'],
  'POST /api/settings': ['settings.changed', 'config.changed', 'auth.password', 'auth.passwordless', 'auth.open_acknowledged', 'auth.sign_in'],
  'POST /api/approval/respond': ['approval.answered', 'grant.added'],
  'POST /api/clarify/respond': ['question.answered'],
  'POST /mcp': ['approval.answered', 'question.answered'],
  'POST /api/grants/revoke': ['grant.removed'],
  'POST /api/session/yolo': ['yolo.switched'],
  'POST /api/session/delete': ['session.deleted'],
  'POST /api/session/truncate': ['session.cut'],
  'POST /api/session/clear': ['session.cut'],
  'POST /api/session/import': ['session.imported'],
  'GET /api/session/export': ['session.exported'],
  'POST /api/session/share': ['share.created'],
  'POST /api/share/create': ['share.created'],
  'POST /api/share/revoke': ['share.revoked'],
  'POST /api/session/share/revoke': ['share.revoked'],
  'POST /api/shares/revoke': ['share.revoked'],
  'POST /api/projects/delete': ['project.deleted'],
  'POST /api/file/delete': ['file.deleted'],
  'POST /api/trash/delete': ['trash.removed'],
  'POST /api/trash/empty': ['trash.removed'],
  'POST /api/rollback/restore': ['checkpoint.restored'],
  'POST /api/git/discard': ['git.discarded'],
  'POST /api/git/push': ['git.pushed'],
  'PUT /api/mcp/servers/:name': ['mcp.server'],
  'PATCH /api/mcp/servers/:name': ['mcp.server'],
  'DELETE /api/mcp/servers/:name': ['mcp.server'],
  'POST /api/mcp/servers/:name/sign-in': ['mcp.sign_in'],
  'DELETE /api/mcp/servers/:name/sign-in': ['mcp.sign_out'],
  'POST /api/providers': ['key.set', 'key.removed'],
  'POST /api/providers/delete': ['key.removed', 'config.changed'],
  'POST /api/providers/self-hosted': ['config.changed', 'key.set'],
  'POST /api/providers/custom': ['config.changed', 'key.set'],
  'POST /api/default-model': ['config.changed'],
  'POST /api/model/set': ['config.changed', 'key.set', 'key.removed'],
  'POST /api/model/fallbacks': ['config.changed'],
  'POST /api/reasoning': ['config.changed'],
  'POST /api/agents/modes': ['config.changed'],
  'POST /api/budgets': ['config.changed'],
  'POST /api/personality/save': ['config.changed'],
  'POST /api/personality/delete': ['config.changed'],
  'POST /api/profile/create': ['profile.created', 'key.set'],
  'POST /api/profile/delete': ['profile.deleted'],
  'POST /api/memory/write': ['memory.changed'],
  'POST /api/memory/restore': ['memory.changed'],
  'POST /api/skills/save': ['skill.saved'],
  'POST /api/skills/delete': ['skill.deleted'],
  'POST /api/skills/toggle': ['config.changed'],
  'POST /api/plugins': ['plugin.switched'],
  'POST /api/crons/create': ['job.created'],
  'POST /api/crons/update': ['job.changed'],
  'POST /api/crons/pause': ['job.changed'],
  'POST /api/crons/resume': ['job.changed'],
  'POST /api/crons/delete': ['job.deleted', 'session.deleted'],
  'POST /api/updates/apply': ['update.applied', 'backup.created'],
  'POST /api/hosts/forget': ['machine.forgotten'],
  'GET /api/audit/export': ['audit.exported']
}

/** What happens without a request. */
const byItself: AuditKind[] = ['audit.trimmed', 'backup.restored', 'machine.joined', 'machine.left']

/** Routes that change something of which nothing is recorded, and why. */
const unrecorded: Record<string, string> = {
  'POST /api/auth/passkey/options': 'a challenge; its use is recorded',
  'POST /api/auth/passkey/register/options': 'a challenge; its use is recorded',
  'GET /api/auth/oidc/login': 'nothing is known of who is sent away; who comes back is recorded',
  'POST /api/auth/passkeys': reads,
  'DELETE /mcp': 'the end of a client\'s own session',
  'POST /take-shared': 'what a phone shares stays in its browser',
  'POST /api/home/seen': own,
  'POST /api/session/new': conversation,
  'POST /api/session/rename': own,
  'POST /api/session/title/regenerate': own,
  'POST /api/session/pin': own,
  'POST /api/session/archive': own,
  'POST /api/session/move': own,
  'POST /api/session/update': own,
  'POST /api/session/draft': own,
  'POST /api/session/branch': conversation,
  'POST /api/session/duplicate': conversation,
  'POST /api/session/undo': 'the last turn, whose message comes back to be sent again',
  'POST /api/session/retry': 'the last turn, whose message comes back to be sent again',
  'POST /api/session/compress': conversation,
  'POST /api/session/compress/start': conversation,
  'POST /api/session/worktree/remove': 'work that is nowhere else stays',
  'POST /api/projects/create': own,
  'POST /api/projects/rename': own,
  'POST /api/chat/start': conversation,
  'POST /api/chat/cancel': conversation,
  'GET /api/chat/cancel': conversation,
  'GET /api/chat/stream': reads,
  'POST /api/chat/steer': conversation,
  'POST /api/goal': conversation,
  'POST /api/btw': conversation,
  'POST /api/background': conversation,
  'GET /api/background/status': reads,
  'POST /v1/chat/completions': conversation,
  'POST /v1/responses': conversation,
  'POST /api/crons/preview': reads,
  'POST /api/crons/run': 'the job has a list of its runs',
  'POST /api/push/subscriptions': 'the browsers that are told are listed, and nothing is allowed by it',
  'DELETE /api/push/subscriptions': 'the browsers that are told are listed, and nothing is allowed by it',
  'POST /api/workspaces/add': list,
  'POST /api/workspaces/remove': list,
  'POST /api/workspaces/rename': list,
  'POST /api/workspaces/reorder': list,
  'POST /api/file/create': files,
  'POST /api/file/save': files,
  'POST /api/file/rename': files,
  'POST /api/file/move': files,
  'POST /api/file/create-dir': files,
  'POST /api/file/path': reads,
  'GET /api/folder/download': reads,
  'POST /api/trash/restore': files,
  'POST /api/file/extract': files,
  'POST /api/upload': conversation,
  'POST /api/workspace/upload': files,
  'POST /api/upload/extract': files,
  'POST /api/git/stage': files,
  'POST /api/git/unstage': files,
  'POST /api/git/commit': files,
  'POST /api/git/commit-selected': files,
  'POST /api/git/fetch': files,
  'POST /api/git/pull': files,
  'POST /api/git/checkout': files,
  'POST /api/git/stash-checkout': files,
  'POST /api/git/commit-message': reads,
  'POST /api/git/commit-message-selected': reads,
  'POST /api/mcp/servers/:name/restart': 'what is set up stays as it is',
  'POST /api/mcp/reload': 'what is set up stays as it is',
  'GET /api/mcp/prompts': reads,
  'GET /api/diagnostics': reads,
  'GET /api/diagnostics/stream': reads,
  'POST /api/diagnostics/upload': 'it keeps nothing',
  'POST /api/models/refresh': reads,
  'GET /api/models/live': reads,
  'POST /api/providers/discover': reads,
  'POST /api/providers/test': reads,
  'POST /api/personality/set': conversation,
  'POST /api/profile/switch': own,
  'POST /api/memory/curate': 'nothing is written',
  'POST /api/commands/bundles/resolve': reads,
  'POST /api/commands/exec': conversation,
  'POST /api/tts': reads,
  'GET /api/tts/stream': reads,
  'POST /api/transcribe': reads,
  'POST /api/updates/check': reads
}

t.test('of every route that changes something it is said what is recorded, or why nothing is', async (t) => {
  const service = await start(t)
  const reading = ['GET', 'HEAD', 'OPTIONS']
  const routes = service.routes.filter(({ method }) => method !== 'HEAD' && method !== 'OPTIONS')
  const changing = routes.filter(({ method, changes }) => !reading.includes(method) || changes !== undefined).map(({ method, url }) => `${method} ${url}`)
  const said = new Set([...Object.keys(recorded), ...Object.keys(unrecorded)])
  t.same(changing.filter((route) => !said.has(route)), [], 'say in this file what is recorded of a new route: its kind is declared in schemas/audit.ts')
  const known = new Set(routes.map(({ method, url }) => `${method} ${url}`))
  t.same([...said].filter((route) => !known.has(route)), [], 'routes that are gone')
  t.same(Object.keys(recorded).filter((route) => Object.hasOwn(unrecorded, route)), [])
  const told = new Set([...Object.values(recorded).flat(), ...byItself])
  t.same(auditKindNames.filter((kind) => !told.has(kind)), [], 'each kind is of a route, or comes by itself')
  t.same(routes.filter(({ isAudited }) => isAudited).map(({ method, url }) => `${method} ${url}`).filter((route) => !Object.hasOwn(recorded, route)), [], 'what a route declares to record is said here')
})
