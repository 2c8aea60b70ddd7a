import t from '#test'
import { type AuditKind } from '../../schemas/audit.js'
import { recordConfig, type AuditPort } from '../../services/areas/audit/index.js'

function recorded (before: unknown, after: unknown): Array<[AuditKind, unknown]> {
  const entries: Array<[AuditKind, unknown]> = []
  const record: AuditPort['soonest'] = (kind, details) => { entries.push([kind, details]) }
  recordConfig(record, 'default', before, after)
  return entries
}

const profile = 'default'
const server = (change: string) => [['mcp.server', { profile, server: 'a', change }]]
const changed = (...changes: Array<[key: string, from: string | null, to: string | null]>) =>
  [['config.changed', { profile, changes: changes.map(([key, from, to]) => ({ key, from, to })) }]]

t.test('what is different in a config.yaml, and nothing that may be secret', async (t) => {
  const cases: Array<[what: string, before: unknown, after: unknown, expected: unknown]> = [
    ['nothing', { a: 1 }, { a: 1 }, []],
    ['a file that was empty', null, { timezone: 'UTC' }, changed(['timezone', null, '"UTC"'])],
    ['a value below others', { model: { default: 'a', provider: 'p' } }, { model: { default: 'b', provider: 'p' } }, changed(['model.default', '"a"', '"b"'])],
    ['a section', { tts: { voice: 'x', model: 'y' } }, {}, changed(['tts.voice', '"x"', null], ['tts.model', '"y"', null])],
    ['a value that becomes a section', { tts: 'x' }, { tts: { voice: 'y' } }, changed(['tts.voice', null, '"y"'])],
    ['a list', { skills: { disabled: ['a'] } }, { skills: { disabled: ['a', 'b'] } }, changed(['skills.disabled', null, null])],
    ['a key', {}, { model: { api_key: 'sk-1' } }, changed(['model.api_key', null, null])],
    ['what lies below a name of secrets', {}, { x: { headers: { accept: 'text' } } }, changed(['x.headers.accept', null, null])],
    ['a long text', {}, { timezone: 'x'.repeat(200) }, changed(['timezone', null, null])],
    ['what nobody has declared', { auxiliary: { vision: { model: 'm', pwd: 'p' } } }, {}, changed(
      ['auxiliary.vision.model', '"m"', null], ['auxiliary.vision.pwd', null, null])],
    ['a name that a person has given', {}, { providers: { mine: { base_url: 'https://a', api_key: 'k', cookie: 'c' } } }, changed(
      ['providers.mine.base_url', null, '"https://a"'], ['providers.mine.api_key', null, null], ['providers.mine.cookie', null, null])],
    ['a value in the place of a section', { model: 'p' }, { model: { default: 'a' } }, changed(['model.default', null, '"a"'])],
    ['a value in the place of an empty section', { goals: 'p' }, { goals: {} }, changed(['goals', null, null])],
    ['permissions', { approvals: { allow: ['cmd:a', 'cmd:b'] } }, { approvals: { allow: ['cmd:b', 'cmd:c'] } }, [
      ['grant.added', { profile, pattern_key: 'cmd:c' }], ['grant.removed', { profile, pattern_key: 'cmd:a' }]
    ]],
    ['the first permission', {}, { approvals: { allow: 'cmd:a' } }, [['grant.added', { profile, pattern_key: 'cmd:a' }]]],
    ['another approval setting', { approvals: { timeout: 1 } }, { approvals: { timeout: 2 } }, changed(['approvals.timeout', '1', '2'])],
    ['a server that comes', {}, { mcp_servers: { a: { url: 'u' } } }, server('added')],
    ['a server that goes', { mcp_servers: { a: { url: 'u' } } }, {}, server('removed')],
    ['a server switched off', { mcp_servers: { a: { url: 'u' } } }, { mcp_servers: { a: { url: 'u', enabled: false } } }, server('off')],
    ['a server switched on', { mcp_servers: { a: { url: 'u', enabled: false } } }, { mcp_servers: { a: { url: 'u', enabled: true } } }, server('on')],
    ['a server switched and changed', { mcp_servers: { a: { url: 'u' } } }, { mcp_servers: { a: { url: 'v', enabled: false } } }, server('changed')]
  ]
  for (const [what, before, after, expected] of cases) t.same(recorded(before, after), expected, what)
})
