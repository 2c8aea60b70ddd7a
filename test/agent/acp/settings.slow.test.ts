import { mkdirSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { ownSettings } from '../../../services/agent/acp/own-settings.js'
import { presetIds } from '../../../services/providers/index.js'
import { startAgent } from '../../support/acp/agents.js'
import { eventually } from '../../support/chat.js'
import { tokenText } from '../../support/events.js'

/** What each agent obeys in a folder, and may act unasked by. */
const planted: Readonly<Record<(typeof presetIds)[number], readonly string[]>> = {
  'claude-code': ['.claude/settings.json', '.claude/settings.local.json', '.claude/agents/a.md', '.claude/commands/a/b.md', '.claude/skills/a/SKILL.md', '.claude/hooks/a.sh', '.mcp.json'],
  codex: ['.codex/config.toml', '.codex/rules/default.rules', '.codex/hooks.json', '.agents/skills/a/SKILL.md'],
  'gemini-cli': ['.gemini/settings.json', '.gemini/.env', '.env', '.gemini/policies/a.toml', '.gemini/commands/a.toml', '.gemini/extensions/a/gemini-extension.json'],
  opencode: ['opencode.json', 'opencode.jsonc', '.opencode/plugins/a.ts', '.opencode/agents/a.md', '.opencode/command/a.md', '.opencode/opencode.json'],
  goose: ['.goosehints', '.goose/config.yaml']
}

function write (path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

t.test('what an agent obeys in a workspace and above it is found, and told apart', async (t) => {
  for (const preset of [...presetIds, null]) {
    const home = realpathSync(t.testdir({ '.claude': { 'settings.json': 'of the person' }, '.env': 'X=1', repository: { '.git': {}, sub: { work: {} } } }))
    const folders = ['repository/sub/work', 'repository/sub', 'repository'].map((name) => join(home, name))
    const [work = ''] = folders
    const look = () => ownSettings(preset, work, home)
    t.same(look(), [], 'files of the home are the person\'s')
    t.same(ownSettings(preset, home, home), [])
    for (const name of preset === null ? Object.values(planted).flat() : planted[preset]) {
      for (const folder of folders) {
        const path = join(folder, name)
        write(path, 'one')
        const [before] = look()
        t.match(look(), [{ path, text: 'one', seal: /^[0-9a-f]{32}$/ }], `${preset} ${path}`)
        write(path, 'two')
        // As a program would hide that it has changed it.
        utimesSync(path, 0, 0)
        t.not(look()[0]?.seal, before?.seal)
        rmSync(path)
        const top = name.split('/')[0] ?? ''
        rmSync(join(folder, top), { recursive: true, force: true })
      }
    }
  }
})

t.test('what cannot be looked through is not sealed', async (t) => {
  const home = realpathSync(t.testdir({ elsewhere: { 'settings.json': '{}' }, work: { '.git': {}, '.opencode': {}, shared: { 'a.md': 'one' } } }))
  const work = join(home, 'work')
  const settings = join(work, '.claude')
  const look = () => ownSettings('claude-code', work, home)
  symlinkSync('../elsewhere', settings)
  t.match(look(), [{ path: settings, seal: null, text: null, note: /a link to/ }], 'a link out of the work tree')
  rmSync(settings)
  symlinkSync('shared', settings)
  const [link, file] = look()
  t.match([link, file], [{ path: settings, seal: String }, { path: join(work, 'shared', 'a.md'), text: 'one' }], 'one that stays in it')
  write(join(work, 'shared', 'a.md'), 'two')
  t.not(look()[1]?.seal, file?.seal)
  rmSync(settings)
  symlinkSync('.', settings)
  t.ok(look().length > 0, 'a loop ends')
  rmSync(settings)
  for (let file = 0; file < 600; file++) write(join(settings, 'rules', `${file}.md`), 'x')
  t.match(look().filter(({ seal }) => seal === null), [{ note: /too many/ }])
  rmSync(settings, { recursive: true })
  const module = join(work, '.opencode', 'node_modules', 'a', 'index.js')
  write(module, 'one')
  const [before] = ownSettings('opencode', work, home)
  t.match(before, { path: join(work, '.opencode', 'node_modules'), seal: String })
  write(module, 'two')
  utimesSync(module, 0, 0)
  t.not(ownSettings('opencode', work, home)[0]?.seal, before?.seal, 'installed code')
})

t.test('an agent does not begin before a person has accepted what the workspace brings for it', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const settings = join(service.workspace, '.claude', 'settings.json')
  const begin = async () => await service.watch(await service.send(session, 'say hello'))
  const unasked = async (name: string): Promise<void> => {
    const reader = await begin()
    await reader.ended
    t.match(tokenText(reader.frames), /hello/, name)
  }
  await unasked('there is nothing')

  write(settings, '{ "permissions": { "allow": ["Bash"] } }')
  const refused = await begin()
  t.match(await service.approve(session, 'deny'), { command: /\.claude\/settings\.json:\n.*"allow": \["Bash"\]/, description: /settings of its own for Scripted/, max_scope: 'once', pattern_keys: ['instructions:changed'] })
  await refused.ended
  t.match(refused.frames.at(-1)?.data, { message: /\.claude\/settings\.json.*nobody has accepted.*not begun/ })
  t.notMatch(tokenText(refused.frames), /hello/)

  await service.post('/api/session/yolo', { session_id: session, enabled: true })
  const accepted = await begin()
  await service.approve(session, 'once')
  await accepted.ended
  t.match(tokenText(accepted.frames), /hello/, 'yolo does not accept it, a person does')
  await unasked('it stays accepted')

  write(settings, '{ "permissions": { "allow": ["Bash", "Write"] } }')
  write(join(service.workspace, '.mcp.json'), '{ "mcpServers": {} }')
  const changed = await begin()
  const card = await service.approve(session, 'once')
  t.match(card['command'], /settings\.json, changed since it was accepted:\n[^]*\n-.*\n.*[^]*\+.*"Write"/)
  t.match(card['command'], /\.mcp\.json:\n\{ "mcpServers"/)
  await changed.ended
  await unasked('both are accepted')

  write(settings, 'first')
  const moving = await begin()
  await eventually('a card', async () => (await service.get(`/api/approval/pending?session_id=${session}`)).body.pending)
  write(settings, 'second')
  t.match(await service.approve(session, 'once'), { command: /\+first/ })
  t.match(await service.approve(session, 'deny'), { command: /-first\n[^]*\+second/ }, 'what has changed while the card was open is asked about')
  await moving.ended

  const { body } = await service.post('/api/background', { session_id: session, prompt: 'say hello' })
  const alone = await service.watch(body.stream_id)
  await alone.ended
  t.match(alone.frames.at(-1)?.data, { message: /nobody has accepted/ }, 'where nobody is there, it does not begin')
})
