import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { FolderRules } from '../../services/agent/engines/folder-rules.js'
import { Boundary } from '../../services/agent/sandbox/index.js'
import { said, startChat } from '../support/chat.js'
import { put, temporaryFolder } from '../support/folder.js'

const reads = (...paths: string[]) => [{ paths: paths.map((path) => ({ path, access: 'read' as const })) }]
const told = (rules: FolderRules, ...paths: string[]): string[] => rules.of(reads(...paths)).map(({ text }) => text?.split('\n').at(-1) ?? 'left out')

t.test('the rules of the folders down to a file are told once, the nearest last', async (t) => {
  const root = temporaryFolder(t, 'nested-')
  put(join(root, 'AGENTS.md'), 'of the workspace')
  put(join(root, 'a', 'AGENTS.md'), 'of a')
  put(join(root, 'a', 'b', 'CLAUDE.md'), 'of b')
  put(join(root, 'a', 'b', 'c', 'code.ts'), '')
  put(join(root, 'd', '.cursor', 'rules', 'x.mdc'), 'of d')
  const rules = new FolderRules(root, undefined)
  t.same(told(rules, 'top.ts', '.'), [], 'those of the workspace are told elsewhere')
  t.same(told(rules, 'a/b/c/code.ts'), ['of a', 'of b'])
  t.same(told(rules, 'a/other.ts', join(root, 'a', 'b')), [], 'once')
  t.same(rules.of([{ command: 'ls', cwd: 'd' }]).map(({ text }) => text?.split('\n').at(-1)), ['of d'], 'where a command runs')
  t.match(new FolderRules(root, undefined).of(reads('a/new/file.ts')), [{
    warning: { kind: 'folder_rules', message: 'The rules in a/AGENTS.md apply to files below its folder.' }, text: /^Rules of the folder a \(from a\/AGENTS\.md\)/
  }], 'also for what does not exist yet')
})

t.test('what nobody here has chosen is not told, and never too much', async (t) => {
  const root = temporaryFolder(t, 'nested-')
  const outside = temporaryFolder(t, 'outside-')
  put(join(outside, 'AGENTS.md'), 'Evil.')
  put(join(outside, 'x.ts'), '')
  symlinkSync(outside, join(root, 'linked'))
  mkdirSync(join(root, 'link'))
  symlinkSync(join(outside, 'AGENTS.md'), join(root, 'link', 'AGENTS.md'))
  for (const folder of ['node_modules/package', 'src/vendor', '.hidden', 'cloned/src']) put(join(root, folder, 'AGENTS.md'), 'Evil.')
  mkdirSync(join(root, 'cloned', '.git'))
  for (const name of ['one', 'two', 'three']) put(join(root, name, 'AGENTS.md'), name.repeat(20_000))
  const rules = new FolderRules(root, undefined)
  t.same(told(rules, 'linked/x.ts', 'link/x.ts', 'node_modules/package/x', 'src/vendor/x', '.hidden/x', 'cloned/src/x', '../x', join(outside, 'x.ts'), '/', 'zero\0'), [])
  t.equal(rules.of(reads('one/x', 'two/x', 'three/x')).length, 2)
})

t.test('rules that a command has changed are left out until a person has accepted them', async (t) => {
  const root = temporaryFolder(t, 'nested-')
  const work = join(root, 'work')
  put(join(work, 'a', 'AGENTS.md'), 'Mine.')
  const boundary = new Boundary({ folder: join(root, 'state'), closed: [] })
  t.same(told(new FolderRules(work, boundary), 'a/x'), ['Mine.'])
  const watch = await boundary.begin(work, new AbortController().signal)
  put(join(work, 'a', 'AGENTS.md'), 'Evil.')
  t.same(told(new FolderRules(work, boundary), 'a/x'), ['left out'], 'while the command runs')
  await watch.end()
  t.match(new FolderRules(work, boundary).of(reads('a/x')), [{ text: null, warning: { message: /not followed: they were changed without asking/ } }])
})

t.test('a turn hears of the rules of a folder when it works there', async (t) => {
  const service = await startChat(t)
  put(join(service.workspace, 'AGENTS.md'), 'Be brief.')
  put(join(service.workspace, 'api', 'AGENTS.md'), 'Use tabs.')
  put(join(service.workspace, 'api', 'a.ts'), 'let a = 1\n')
  const id = await service.newSession()
  const model = service.model([{ tool: 'read_file', args: { path: 'api/a.ts' } }], [{ tool: 'read_file', args: { path: 'api/a.ts' } }], [{ text: 'Done.' }])
  const { frames } = await service.turn(id, 'Look', model)
  const [first, second, third] = service.requests(model)
  t.notMatch(JSON.stringify(first?.messages), /Use tabs/)
  const rules = (request: typeof first): string[] => said(request, 'user').filter((text) => text.includes('Use tabs.'))
  t.match(rules(second), [/^\[Not from the user:\] Rules of the folder api \(from api\/AGENTS\.md\)/])
  t.equal(rules(third).length, 1, 'once a turn')
  t.match(frames.filter(({ event }) => event === 'warning').map(({ data }) => data), [{ type: 'folder_rules', message: 'The rules in api/AGENTS.md apply to files below its folder.', reason: { code: 'folder_rules' } }])
})
