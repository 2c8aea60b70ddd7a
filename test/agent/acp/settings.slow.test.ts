import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '#test'
import { ownSettings } from '../../../services/agent/acp/own-settings.js'
import { Boundary } from '../../../services/agent/sandbox/index.js'
import { presetIds } from '../../../services/providers/index.js'
import { scripted, startAgent, writeConfig, type AgentService } from '../../support/acp/agents.js'
import { eventually } from '../../support/chat.js'
import { tokenText } from '../../support/events.js'
import { needsGit } from '../../support/git-repository.js'

/** Files in a folder that each agent obeys, and that may let it act without asking. */
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
        // Hides the change as a program might.
        utimesSync(path, 0, 0)
        t.not(look()[0]?.seal, before?.seal)
        rmSync(path)
        const top = name.split('/')[0] ?? ''
        rmSync(join(folder, top), { recursive: true, force: true })
      }
    }
  }
})

t.test('what cannot be looked through is not sealed', { long: true }, async (t) => {
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
  t.match(await service.approve(session, 'deny'), { command: /\.claude\/settings\.json:\n.*"allow": \["Bash"\]/, description: /contains settings for Scripted/, max_scope: 'once', pattern_keys: ['instructions:changed'] })
  await refused.ended
  t.match(refused.frames.at(-1)?.data, { message: /\.claude\/settings\.json.*nobody has accepted.*did not start/ })
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
  await service.pending(session)
  write(settings, 'second')
  t.match(await service.approve(session, 'once'), { command: /\+first/ })
  t.match(await service.approve(session, 'deny'), { command: /-first\n[^]*\+second/ }, 'what has changed while the card was open is asked about')
  await moving.ended

  const { body } = await service.post('/api/background', { session_id: session, prompt: 'say hello' })
  const alone = await service.watch(body.stream_id)
  await alone.ended
  t.match(alone.frames.at(-1)?.data, { message: /nobody has accepted/ }, 'where nobody is there, it does not begin')
})

t.test('what was accepted holds in other work trees of the repository, as git itself knows them', { ...needsGit, long: true }, async (t) => {
  const root = realpathSync(t.testdir({ state: {}, repository: { '.claude': { 'settings.json': 'one' } } }))
  const repository = join(root, 'repository')
  const git = (folder: string, ...args: string[]): void => { execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=b', ...args], { stdio: 'ignore' }) }
  git(repository, 'init', '-b', 'main')
  git(repository, 'add', '.')
  git(repository, 'commit', '-m', 'one')
  const boundary = new Boundary({ folder: join(root, 'state'), closed: [] })
  const left = (folder: string) => boundary.unaccepted(ownSettings('claude-code', folder, root))
  await boundary.acceptFiles(left(repository))
  t.same(left(repository), [])
  const other = join(root, 'other')
  git(repository, 'worktree', 'add', other)
  t.same(left(other), [], 'the same content in a work tree of the same repository')
  writeFileSync(join(other, '.claude', 'settings.json'), 'two')
  t.match(left(other), [{ text: 'two', before: 'one' }], 'another content')

  // Folders that falsely claim to belong to it.
  for (const [name, git] of [['copy', null], ['pretender', `gitdir: ${join(repository, '.git', 'worktrees', 'other')}\n`], ['guest', `gitdir: ${join(repository, '.git')}\n`]] as const) {
    const folder = join(root, name)
    write(join(folder, '.claude', 'settings.json'), 'one')
    if (git === null) execFileSync('git', ['init', '-q', folder])
    else write(join(folder, '.git'), git)
    t.match(left(folder), [{ text: 'one', before: null }], name)
  }
  const linked = join(root, 'linked')
  write(join(linked, '.claude', 'settings.json'), 'one')
  symlinkSync(join(repository, '.git'), join(linked, '.git'))
  t.match(left(linked), [{ text: 'one' }], 'a link')
})

/** Returns the command of the approval that waits, including the part that the card does not contain. */
async function readWhole (service: AgentService, session: string, about = /(?:)/): Promise<string> {
  const pending = await eventually('a card', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${session}`)).body
    return about.test(pending?.command ?? '') ? pending : null
  })
  let command: string = pending.command
  let next: number | null = pending.rest?.find(({ field }: { field: string }) => field === 'command')?.at ?? null
  while (next !== null) {
    const { body } = await service.get(`/api/approval/text?session_id=${session}&approval_id=${pending.approval_id}&field=command&at=${next}`)
    command += body.text
    next = body.next
  }
  return command
}

t.test('what is accepted is shown whole, however long, and told apart by all of it', { long: true }, async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const rules = (name: string): string => join(service.workspace, '.claude', name)
  const long = (end: string): string => `${'a line of rules\n'.repeat(5_000)}${end}`
  write(rules('a.md'), long('ends as expected'))
  write(rules('b.md'), long('and another'))
  write(rules('c.bin'), `\0${'x'.repeat(400_000)}1`)
  const reader = await service.watch(await service.send(session, 'say hello'))
  t.match(await readWhole(service, session), /a\.md:\n[^]*ends as expected$/)
  await service.approve(session, 'once')
  t.match(await readWhole(service, session, /b\.md/), /b\.md:\n[^]*and another\n\n.*c\.bin: 400002 bytes, .*SHA-256 [0-9a-f]{64}$/, 'what does not fit is on a card of its own')
  await service.approve(session, 'once')
  await reader.ended
  t.match(tokenText(reader.frames), /hello/)
  write(rules('c.bin'), `\0${'x'.repeat(400_000)}2`)
  const changed = await service.watch(await service.send(session, 'say hello'))
  t.match(await service.approve(session, 'once'), { command: /^\.claude\/c\.bin: 400002 bytes/ })
  await changed.ended
})

t.test('an agent that works nowhere yet runs where no keys of the profile lie', { long: true }, async (t) => {
  const { command } = scripted()
  const [node = '', program = ''] = command as string[]
  const home = realpathSync(t.testdir())
  const service = await startAgent(t)
  const place = async (HOME: string): Promise<string> => {
    writeConfig(service.folder, { agent: { ...scripted({ PLACE: join(home, 'place'), HOME }), type: 'acp', command: ['/bin/sh', '-c', 'pwd > "$PLACE"; exec "$0" "$1"', node, program] } })
    t.match((await service.turn(await service.newSession(), 'say hello')).text, /hello/)
    return readFileSync(join(home, 'place'), 'utf8').trim()
  }
  t.equal(await place(home), home)
  t.equal(await place(join(service.folder, 'home')), '/', 'a home that is the profile\'s')
  t.equal(await place(join(home, 'missing')), '/')
})
