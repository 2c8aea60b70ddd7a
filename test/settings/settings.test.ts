import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { modelEndpoint } from '../support/model-endpoint.js'

t.test('what clients act on is kept for all of them, and checked', async (t) => {
  const service = await start(t, { onDisk: true })
  const change = async (body: object) => await service.post('/api/settings', body)
  t.match((await service.get('/api/settings')).body, { theme: 'dark', send_key: 'enter', language: 'en', auto_scroll_follow: true, sound_enabled: false, hidden_tabs: [], inflight_state_max_sessions: 8, config_error: null })
  const wanted = {
    theme: 'light', font_size: 'large', language: 'pt-BR', sound_enabled: true, sidebar_density: 'detailed', structured_code_auto_tree_lines: 1_000,
    composer_control_order: ['hide_composer_mic', 'hide_composer_model'], hide_composer_mic: true, onboarding_completed: true
  }
  t.match(await change(wanted), { status: 200, body: wanted })
  t.match((await change({ busy_input_mode: 'queue', hidden_tabs: ['chat', 'notes', 'notes', 'settings'] })).body, { default_message_mode: 'queue', hidden_tabs: ['notes'] })
  t.match((await service.get('/api/settings')).body, { ...wanted, default_message_mode: 'queue', hidden_tabs: ['notes'] })

  for (const [key, value] of Object.entries({
    theme: 'pink', font_size: 3, language: 'a', sound_enabled: 'yes', structured_code_auto_tree_lines: 1_001, inflight_state_max_json_chars: 10.5, hidden_tabs: 'notes',
    tab_order: [1], composer_control_order: ['rm -rf'], skin: '../x', pinned_sessions_limit: 0, session_ttl_seconds: 59
  })) t.match(await change({ bot_color: 'blue', rtl: true, [key]: value }), { status: 400, body: { error: new RegExp(`^${key}: `) } }, key)
  t.match((await service.get('/api/settings')).body, { ...wanted, rtl: false }, 'one that does not fit keeps the others from being changed')
  t.notMatch((await change({ nobody_knows: 1 })).body, { nobody_knows: 1 })
})

/** Everything that another app of this interface sends when a person saves any setting. */
const everything = {
  default_workspace: '', onboarding_completed: true, send_key: 'ctrl+enter', theme: 'light', skin: 'default', font_size: 'small', language: 'de', bot_name: 'Ada', show_cli_sessions: false,
  show_claude_code_sessions: false, show_cron_sessions: true, show_webhook_sessions: true, show_kanban_sessions: true, show_previous_messaging_sessions: true, check_for_updates: true,
  update_channel: 'experimental', ignore_agent_updates: true, whats_new_summary_enabled: true, sync_to_insights: true, api_redact_enabled: true, show_thinking: true, show_token_usage: true,
  show_tps: true, show_quota_chip: true, auto_title_refresh_every: '10', default_message_mode: 'queue', pinned_sessions_limit: 5, hidden_tabs: [], tab_order: [], composer_control_order: [],
  tts_enabled: true, tts_engine: 'browser', tts_voice: '', tts_rate: 1, tts_pitch: 1, voice_silence_ms: 1_800, dashboard_plugins: { clock: true }, provider_cost_budget: 12.345, max_tokens: null,
  auth_disabled_acknowledged: true, simplified_tool_calling: true, default_model: 'of-another-device', default_model_provider: 'nobody', password_hash: 'x', webui_version: '0', session_ttl_seconds: 600
}

t.test('one save carries every key there is, and all that can be set is', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_SESSION_TTL: '120' } })
  const change = async (body: object) => await service.post('/api/settings', body)
  const before = (await service.get('/api/settings')).body
  t.match(before, {
    show_webhook_sessions: false, show_kanban_sessions: false, show_previous_messaging_sessions: false, ignore_agent_updates: false, whats_new_summary_enabled: false, sync_to_insights: false,
    auto_title_refresh_every: '0', dashboard_plugins: {}, provider_cost_budget: null
  })
  const saved = await change(everything)
  const { default_workspace: folder, default_model: model, default_model_provider: provider, password_hash: hash, webui_version: version, auth_disabled_acknowledged: acknowledged, simplified_tool_calling: simple, ...set } = everything
  t.match(saved, { status: 200, body: { ...set, provider_cost_budget: 12.35, session_ttl_seconds: 120, default_model: before.default_model, webui_version: before.webui_version } })
  t.match((await service.get('/api/budgets')).body.limits.day, { soft_usd: 12.35, hard_usd: null })
  t.match((await change({ dashboard_plugins: { map: true, clock: false } })).body.dashboard_plugins, { map: true, clock: false }, 'what is not said stays')
  const many = (from: string): object => ({ dashboard_plugins: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${from}${index}`, true])) })
  const [one, other] = await Promise.all([change(many('a')), change(many('b'))])
  t.same([one.status, other.status].sort(), [200, 400], 'what is not said counts as well: more than can be read again is not stored')
  t.match(await change(many('c')), { status: 400, body: { error: /^dashboard_plugins: / } })
  await service.post('/api/budgets', { day: { soft_usd: 3 } })
  t.equal((await service.get('/api/settings')).body.provider_cost_budget, 3)
  t.equal((await change({ provider_cost_budget: null })).body.provider_cost_budget, null)
  t.equal((await service.get('/api/budgets')).body.limits.day.soft_usd, null)
  for (const [key, values] of Object.entries({
    provider_cost_budget: [0, -1, 0.001, 1e9, 'much', true, []], auto_title_refresh_every: ['7', 7, true], dashboard_plugins: [[], 'clock', { clock: 1 }, { '': true }, { ['x'.repeat(65)]: true }], show_kanban_sessions: ['yes'], sync_to_insights: [1]
  })) {
    for (const value of values) t.match(await change({ rtl: true, [key]: value }), { status: 400, body: { error: new RegExp(`^${key}: `) } }, `${key} ${JSON.stringify(value)}`)
  }
  t.equal((await service.get('/api/settings')).body.rtl, false)
  t.match((await service.get('/api/updates/check')).body, { agent: { ignored: true, behind: 0 } }, 'the agent is ignored before anybody has looked')
})

t.test('settings of speech: what was never saved is the affair of each device', async (t) => {
  const service = await start(t, { onDisk: true })
  const change = async (body: object) => await service.post('/api/settings', body)
  const defaults = {
    tts_enabled: false, tts_auto_read: false, voice_mode_button: false, voice_continuous: false, raw_audio_mode: false,
    tts_engine: 'browser', tts_voice: '', tts_rate: 1, tts_pitch: 1, voice_silence_ms: 1800
  }
  t.match((await service.get('/api/settings')).body, { ...defaults, persisted_speech_keys: [] })
  const wanted = { tts_auto_read: true, tts_engine: 'engine_default', tts_rate: 1, tts_pitch: 0, voice_silence_ms: 200 }
  t.match(await change({ ...wanted, persisted_speech_keys: ['tts_voice'] }), { status: 200, body: wanted })
  t.same((await service.get('/api/settings')).body.persisted_speech_keys, Object.keys(wanted), 'one that repeats its default was chosen as well')
  for (const [key, values] of Object.entries({
    tts_enabled: ['yes', 1], tts_engine: ['', '-x', 'a b', 'x'.repeat(65), 3], tts_voice: ['x'.repeat(201), 'a\u0000b', 1], tts_rate: [0.4, 2.1, '1', true], tts_pitch: [-0.1, 2.1, '+5Hz'],
    voice_silence_ms: [199, 60_001, 200.5, '300']
  })) {
    for (const value of values) t.match(await change({ rtl: true, [key]: value }), { status: 400, body: { error: new RegExp(`^${key}: `) } }, `${key} ${JSON.stringify(value)}`)
  }
  t.equal((await service.get('/api/settings')).body.rtl, false)
  await service.stop()
  const again = await start(t, { folder: service.folder })
  t.match((await again.get('/api/settings')).body, { ...defaults, ...wanted, persisted_speech_keys: Object.keys(wanted) })
})

t.test('what was saved is told apart from defaults, also where a save carries all that is shown', async (t) => {
  const service = await start(t)
  const reader = await service.events('/api/events')
  const saved = async (key: string): Promise<string[]> => (await reader.until(({ event, data }) => event === 'settings' && data.saved_settings.includes(key))).data.saved_settings
  t.same((await reader.until('snapshot')).data.saved_settings, [])
  const page = async (): Promise<string> => (await service.get('/nothere', { accept: 'text/html', 'accept-language': 'zh' })).text
  await service.post('/api/settings', { ...(await service.get('/api/settings')).body, rtl: true, max_tokens: undefined })
  t.same((await saved('rtl')).filter((key) => ['language', 'theme', 'sound_enabled'].includes(key)), [], 'a repeated default is no choice, one that is said alone is')
  t.match(await page(), /lang="zh-CN"/)
  await service.post('/api/settings', { language: 'en' })
  await saved('language')
  t.match(await page(), /lang="en"/)
  t.match((await service.get('/nothere', { accept: 'text/html', 'accept-language': 'en', cookie: 'app_language=zh' })).text, /lang="zh-CN"/, 'the device goes first')
  reader.drop()
})

t.test('two clients that save different settings at once: both are kept', async (t) => {
  const service = await start(t)
  const changes = [{ theme: 'light' }, { sound_enabled: true }, { max_tokens: 500 }, { language: 'de' }, { rtl: true }]
  await Promise.all(changes.map(async (body) => t.equal((await service.post('/api/settings', body)).status, 200)))
  t.match((await service.get('/api/settings')).body, Object.assign({}, ...changes))
})

t.test('how long an answer may be is written into config.yaml, and holds for the next turn', async (t) => {
  const endpoint = await modelEndpoint(t)
  const service = await start(t)
  const path = join(service.folder, 'home', 'config.yaml')
  const text = `# mine\nmodel:\n  default: test-model\n  base_url: ${endpoint.url}\nagent:\n  max_tokens: 900\n`
  writeFileSync(path, text)
  t.match((await service.get('/api/settings')).body, { max_tokens: null, max_tokens_fallback: 900, max_tokens_effective: 900 })
  t.match((await service.post('/api/settings', { max_tokens: '321' })).body, { max_tokens: 321, max_tokens_effective: 321 })
  t.equal(readFileSync(path, 'utf8'), `${text}max_tokens: 321\n`)
  const id = await service.newSession()
  const events = await service.events(`/api/chat/stream?stream_id=${await service.send(id, 'hello')}`)
  await events.until('stream_end')
  t.match(endpoint.requests.find(({ stream }) => stream)?.body, { max_tokens: 321 })
  for (const value of [0, -1, 1.5, 'many', true, [], 1e12]) t.match(await service.post('/api/settings', { max_tokens: value, rtl: true }), { status: 400, body: { error: /max_tokens/ } }, JSON.stringify(value))
  t.equal((await service.get('/api/settings')).body.rtl, false)
  t.match((await service.post('/api/settings', { max_tokens: null })).body, { max_tokens: null, max_tokens_effective: 900 })
  t.equal(readFileSync(path, 'utf8'), text)
})

t.test('a config.yaml that breaks is told of everywhere, and what it held goes on', async (t) => {
  const service = await start(t)
  const path = join(service.folder, 'home', 'config.yaml')
  writeFileSync(path, 'max_tokens: 4000\n')
  await eventually('the file to be read', async () => (await service.get('/api/settings')).body.max_tokens === 4000)
  const feed = await service.events('/api/events')
  await feed.until('snapshot')
  writeFileSync(path, 'max_tokens: [4000\nkey: sk-secret-in-file\n')
  const told = (await feed.until('profile'))
  t.match(told.data, { profile: 'default', exists: true, config_error: /^config\.yaml does not parse at line \d+/ })
  const settings = await service.get('/api/settings')
  t.match(settings.body, { max_tokens: 4000, config_error: /does not parse/ })
  const health = await service.get('/api/system/health')
  t.match(health.body, { status: 'ok', config: { profile: 'default', error: /does not parse/ } })
  t.notMatch(settings.text + health.text + JSON.stringify(told), /secret/)
  t.match(await service.post('/api/settings', { max_tokens: 5 }), { status: 409, body: { code: 'config_broken' } })
  writeFileSync(path, 'max_tokens: 6\n')
  await feed.until(({ event, data }) => event === 'profile' && data.config_error === null)
  t.match((await service.get('/api/settings')).body, { max_tokens: 6, config_error: null })
})

t.test('the name of the agent and the folder of new conversations can be chosen', async (t) => {
  const service = await start(t, { onDisk: true })
  const folder = join(service.folder, 'elsewhere')
  mkdirSync(folder)
  const before = (await service.get('/api/settings')).body
  t.match(before, { bot_name: 'Agent', default_workspace: service.workspace })
  await service.post('/api/settings', before)
  t.same(service.app.db.sqlite.prepare("select key from settings where key in ('bot_name', 'default_workspace')").all(), [], 'to repeat what holds is no choice')
  t.match(await service.post('/api/settings', { bot_name: '  Ada <b> ', default_workspace: folder }), { status: 200, body: { bot_name: 'Ada <b>', default_workspace: folder } })
  t.match((await service.get('/')).text, '<title>Ada &lt;b&gt;</title>')
  t.equal((await service.get('/manifest.json')).body.name, 'Ada <b>')
  t.equal((await service.session(await service.newSession())).workspace, folder)
  t.equal((await service.get('/api/profile/active')).body.default_workspace, folder)
  for (const [key, value] of [['bot_name', 5], ['bot_name', 'a\nb'], ['bot_name', 'x'.repeat(65)], ['default_workspace', 'relative'], ['default_workspace', join(folder, 'none')], ['default_workspace', '/etc'], ['default_workspace', join(service.folder, 'home/webui')]] as const) {
    const refused = await service.post('/api/settings', { [key]: value, rtl: true })
    t.match(refused, { status: 400, body: { error: new RegExp(`^${key}: `) } }, `${key} ${value}`)
    t.notMatch(refused.text, service.folder)
  }
  t.equal((await service.get('/api/settings')).body.rtl, false)
  t.equal((await service.post('/api/settings', (await service.get('/api/settings')).body)).status, 200, 'what is shown can be sent back')
  rmSync(folder, { recursive: true })
  t.match((await service.get('/api/settings')).body, { default_workspace: service.workspace }, 'one that is gone falls back')
  t.match((await service.post('/api/settings', { bot_name: '', default_workspace: '' })).body, { bot_name: 'Agent', default_workspace: service.workspace })
})

t.test('settings are saved while an editor writes config.yaml: neither loses anything', async (t) => {
  const service = await start(t)
  const path = join(service.folder, 'home', 'config.yaml')
  writeFileSync(path, '# mine\nother: 0\n')
  const clients = ['rtl', 'show_tps', 'sound_enabled', 'fade_text_effect'].map(async (key, index) => {
    for (const value of [true, false, true]) t.equal((await service.post('/api/settings', { [key]: value, ...(index === 0 && { max_tokens: 100 + index }) })).status, 200)
  })
  // As editors save: read, write beside it, rename over it.
  const editor = (async () => {
    for (let round = 1; round <= 10; round++) {
      const text = readFileSync(path, 'utf8').replace(/^other: .*$/m, `other: ${round}`)
      writeFileSync(`${path}.swp`, text)
      renameSync(`${path}.swp`, path)
      await new Promise(setImmediate)
    }
  })()
  await Promise.all([...clients, editor])
  t.match((await service.get('/api/settings')).body, { rtl: true, show_tps: true, sound_enabled: true, fade_text_effect: true, max_tokens: 100, config_error: null })
  t.match(readFileSync(path, 'utf8'), /^# mine\nother: 10\nmax_tokens: 100\n$/)
})
