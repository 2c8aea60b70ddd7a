import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from '#test'
import { Type } from '@sinclair/typebox'
import { decide, type PolicyContext, realPath } from '../../../services/agent/policy/index.js'
import { matches } from '../../../services/agent/policy/tables/patterns.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'
import { commandThemes } from '../../support/policy-commands.js'
import { floor, harmless } from '../../support/policy-floor.js'
import { escapes, openEnded, plain } from '../../support/policy-open-ended.js'
import { withoutLinks } from '../../support/policy-paths.js'
import { decideAgain } from '../../support/policy-reading.js'
import { lookInRepository } from '../../support/policy-repository.js'
import { confined, confinedAsked, leaving } from '../../support/policy-sandbox.js'
import { tries } from '../../support/tries.js'

const tools = new Map(createTools().map((tool) => [tool.name, tool]))
const tool = (name: string): Tool => tools.get(name) as Tool

const context: PolicyContext = {
  workspace: '/home/ann/workspace',
  home: '/home/ann/.svc',
  serviceRoots: ['/home/ann/.svc/webui'],
  programRoots: ['/srv/service/dist', '/srv/service/node_modules'],
  userHome: '/home/ann',
  grants: new Set(),
  yolo: false,
  attended: true,
  // The tables below are about words; a test of its own covers links, with real ones.
  resolvePath: withoutLinks,
  look: lookInRepository
}
const run = (command: string, changes: Partial<PolicyContext> = {}) => decideAgain({ tool: tool('terminal'), args: { command } }, { ...context, ...changes })
/** Returns a command line for the name of a test: characters that mislead readers also mislead the test runner. */
const shown = (command: string) => JSON.stringify(command.slice(0, 80)).replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
/** Judges the same command with a sandbox that the model asks to leave. */
const unconfined = (command: string) => {
  const terminal = tool('terminal')
  return decideAgain({ tool: { ...terminal, targets: (args) => ({ ...terminal.targets(args), unconfined: true }) }, args: { command } }, { ...context, sandboxed: true })
}

for (const [theme, rows] of Object.entries(commandThemes)) {
  t.test(`asked: ${theme}`, async (t) => {
    for (const [command, keys, maxScope] of rows) {
      const name = shown(command)
      const verdict = run(command)
      t.match(verdict, { verdict: 'ask', command, confined: false, ...(maxScope === undefined ? {} : { maxScope }) }, name)
      t.same(new Set(verdict.patternKeys), new Set(keys), `${name}: keys`)
      t.equal(run(command, { yolo: true }).verdict, 'allow', `${name}: runs unasked with yolo`)
      t.equal(run(command, { attended: false }).verdict, 'forbid', `${name}: does not run when nobody can be asked`)
      t.equal(run(command, { grants: new Set(keys) }).verdict, verdict.maxScope === 'once' ? 'ask' : 'allow', `${name}: follows the grants`)
      t.same(keys.filter((key) => key.includes('*')), [], `${name}: no key is a pattern`)
    }
  })
}

t.test('programs with a language of their own are not granted for good by their name', (t) => {
  for (const [scope, commands] of [['once', escapes], ['session', openEnded], ['always', plain]] as const) {
    for (const command of commands) t.match(run(command), { verdict: 'ask', maxScope: scope }, shown(command))
  }
  t.match(run('find . -exec rm {} +', { grants: new Set(['cmd:find', 'cmd:touch']) }), { verdict: 'ask' }, 'what find starts counts as if it stood alone')
})

for (const [theme, commands] of Object.entries(floor)) {
  t.test(`never runs: ${theme}`, async (t) => {
    for (const command of commands) {
      const keys = run(command).patternKeys
      for (const changes of [{}, { yolo: true }, { sandboxed: true }, { sandboxed: true, yolo: true }, { grants: new Set(keys) }]) {
        t.match(run(command, changes), { verdict: 'forbid', reason: /never run/ }, `${shown(command)} ${JSON.stringify(changes)}`)
      }
    }
  })
}

t.test('what only looks like it may be asked for', async (t) => {
  for (const command of harmless) t.equal(run(command).verdict, 'ask', shown(command))
})

for (const [theme, commands] of Object.entries(confined)) {
  t.test(`runs in the sandbox unasked: ${theme}`, async (t) => {
    for (const command of commands) {
      const name = shown(command)
      for (const changes of [{}, { attended: false }, { yolo: true }]) {
        t.match(run(command, { sandboxed: true, ...changes }), { verdict: 'allow', confined: true, patternKeys: [], patternKey: '', leavesWorkspace: false }, `${name} ${JSON.stringify(changes)}`)
      }
      t.match(run(command), { verdict: 'ask', confined: false }, `${name}: asks without a sandbox`)
      t.match(unconfined(command), { verdict: 'ask', confined: false, patternKeys: run(command).patternKeys, description: /Leaves the sandbox: the agent asked for it/ }, `${name}: asks to leave`)
    }
  })
}

t.test('what cannot be undone is asked about and stays in the sandbox', async (t) => {
  for (const [command, keys, maxScope] of confinedAsked) {
    const name = shown(command)
    const verdict = run(command, { sandboxed: true })
    t.match(verdict, { verdict: 'ask', confined: true, maxScope, leavesWorkspace: false, description: /It stays in the sandbox/ }, name)
    t.same(new Set(verdict.patternKeys), new Set(keys), `${name}: keys`)
    t.match(run(command, { sandboxed: true, yolo: true }), { verdict: 'allow', confined: true }, `${name}: yolo`)
    t.match(run(command, { sandboxed: true, attended: false }), { verdict: 'forbid', reason: /nobody is there/ }, `${name}: unattended`)
    t.match(run(command, { sandboxed: true, grants: new Set(keys) }), { verdict: maxScope === 'once' ? 'ask' : 'allow', confined: true }, `${name}: granted`)
    t.match(unconfined(command), { verdict: 'ask', confined: false }, `${name}: unconfined`)
  }
})

t.test('what has to leave the sandbox is asked about as without one', async (t) => {
  for (const [command, keys, reason] of leaving) {
    const name = shown(command)
    const verdict = run(command, { sandboxed: true })
    t.match(verdict, { verdict: 'ask', confined: false, patternKeys: run(command).patternKeys, description: reason }, name)
    t.match(verdict.description, /Leaves the sandbox: /, `${name}: says so`)
    t.same(new Set(verdict.patternKeys), new Set(keys), `${name}: keys`)
    t.match(run(command, { sandboxed: true, yolo: true }), { verdict: 'allow', confined: false }, `${name}: yolo`)
    t.match(run(command, { sandboxed: true, attended: false }), { verdict: 'forbid', reason: /nobody is there/ }, `${name}: unattended`)
  }
})

t.test('the sandbox is for commands', async (t) => {
  const judge = (name: string, args: object) => decide({ tool: tool(name), args: { ...args } }, { ...context, sandboxed: true })
  t.match(judge('write_file', { path: 'a', content: '' }), { verdict: 'ask', confined: false, description: 'Write a' })
  t.match(judge('web_fetch', { url: 'https://a.example' }), { verdict: 'ask', confined: false, description: 'Fetch https://a.example' })
  t.match(judge('terminal', { command: 'make', cwd: 'sub' }), { verdict: 'allow', confined: true })
  t.match(judge('terminal', { command: 'make', cwd: '..' }), { verdict: 'ask', confined: false, leavesWorkspace: true })
  t.match(judge('terminal', { command: 'make', cwd: '/tmp' }), { verdict: 'ask', confined: false }, 'the folder is opened before the sandbox is there')
})

const grantPatterns: Array<[grant: string, command: string, verdict: 'allow' | 'ask']> = [
  ['cmd:npm *', 'npm test', 'allow'],
  ['cmd:npm *', 'npm install -g x', 'allow'],
  ['cmd:npm *', 'npm test && ls', 'ask'],
  ['cmd:npm *', 'npx eslint', 'ask'],
  ['cmd:npm', 'npm test', 'ask'],
  ['cmd:git push', 'git push', 'allow'],
  ['cmd:git push', 'git push --force', 'ask'],
  ['cmd:git push*', 'git push --force', 'allow'],
  ['cmd:git push*', 'git pull', 'ask'],
  ['cmd:git*--force', 'git push --force', 'allow'],
  ['cmd:git*--force', 'git push', 'ask'],
  ['cmd:rm', 'rm -rf dist', 'ask'],
  ['cmd:curl*', 'curl a.example', 'ask'],
  ['cmd:*', 'make', 'allow'],
  ['cmd:*', '$X', 'ask'],
  ['cmd:*', 'cat ~/.ssh/config', 'ask'],
  ['*', 'make', 'ask'],
  [' *', 'make', 'ask'],
  ['**', 'make', 'ask'],
  ['*:make', 'make', 'ask'],
  ['shell:*', '$X', 'ask'],
  ['shell:opaque', '$X', 'ask'],
  ['cmd:mak', 'make', 'ask'],
  ['cmd:mak?', 'make', 'ask']
]

t.test('grants are keys or patterns', async (t) => {
  for (const [grant, command, verdict] of grantPatterns) t.equal(run(command, { grants: new Set([grant]) }).verdict, verdict, `${grant} and ${command}`)
  const fetch = (url: string, grant: string) => decide({ tool: tool('web_fetch'), args: { url } }, { ...context, grants: new Set([grant]) }).verdict
  t.equal(fetch('https://www.example.org/x', 'net:*.example.org'), 'allow')
  t.equal(fetch('https://example.org/x', 'net:*.example.org'), 'ask')
  t.equal(fetch('https://example.org.evil.example/x', 'net:*.example.org'), 'ask')
  t.equal(fetch('https://evilexample.org/x', 'net:*.example.org'), 'ask')
  t.equal(fetch('nonsense', 'net:*'), 'ask', 'what may be granted only once is never covered')
  t.equal(fetch('https://*.example.org/', 'net:*.example.org'), 'ask')
  t.equal(decide({ tool: tool('read_file'), args: { path: '/etc/shadow' } }, { ...context, grants: new Set(['read:protected', 'read:*']) }).verdict, 'ask')
})

const denials: Array<[rule: string, command: string, denied: boolean]> = [
  ['cmd:git push', 'git push', true],
  ['cmd:git push', 'git push --force', true],
  ['cmd:git push', 'ls && git push', true],
  ['cmd:git push', 'bash -c "git push"', true],
  ['cmd:git push', 'git pull', false],
  ['cmd:git', 'git status', true],
  ['cmd:gi', 'git status', false],
  ['cmd:git * --force', 'git push --force', true],
  ['cmd:git*--force', 'git push --force', true],
  ['cmd:git push --force', 'git push', false],
  ['cmd:rm', 'rm -rf dist', true],
  ['*', 'ls', true],
  ['*push', 'git push', true],
  ['*push', 'git pull', false],
  ['net:*.example.org', 'curl https://www.example.org', true],
  ['net:*.example.org', 'curl https://example.net', false],
  ['shell:opaque', 'eval "$X"', true],
  ['write:*', 'echo x > ../y', true],
  ['read:protected', 'cat ~/.ssh/config', true],
  ['tool:terminal', 'ls', true]
]

t.test('what the operator denies does not run, whoever allows it', async (t) => {
  for (const [rule, command, denied] of denials) {
    const grants = new Set([...run(command).patternKeys, 'cmd:*'])
    for (const changes of [{}, { yolo: true }, { grants }, { sandboxed: true }, { sandboxed: true, yolo: true }, { attended: false }]) {
      const verdict = run(command, { denied: ['cmd:nothing', rule], ...changes })
      const name = `${rule} and ${command} ${JSON.stringify(changes)}`
      if (denied) t.match(verdict, { verdict: 'forbid', maxScope: 'once', reason: /operator's rules do not allow this.*Do not rephrase/ }, name)
      else t.notMatch(verdict.reason ?? '', /operator/, name)
    }
  }
  t.equal(decide({ tool: tool('todo'), args: { todos: [] } }, { ...context, denied: ['tool:todo'] }).verdict, 'forbid')
  t.equal(decide({ tool: tool('write_file'), args: { path: 'a', content: '' } }, { ...context, yolo: true, denied: ['write:workspace'] }).verdict, 'forbid')
})

t.test('the strictest tier has the word', async (t) => {
  const everything = { yolo: true, grants: new Set(['cmd:rm -r', 'cmd:*']), denied: ['cmd:rm'] }
  t.match(run('rm -rf /', everything).reason, /never run/, 'the floor comes before the operator')
  t.match(run('rm -rf dist', everything).reason, /operator/, 'the operator before grants and yolo')
  t.equal(run('rm -rf dist', { ...everything, denied: [] }).verdict, 'allow', 'grants and yolo before the rules')
  t.equal(run('rm -rf dist', { grants: everything.grants }).verdict, 'allow')
  t.equal(run('rm -rf dist').verdict, 'ask')
})

t.test('a compound command needs every key', async (t) => {
  t.equal(run('git add . && git push', { grants: new Set(['cmd:git add']) }).verdict, 'ask')
  t.equal(run('git add . && git push', { grants: new Set(['cmd:git add', 'cmd:git push']) }).verdict, 'allow')
  t.equal(run('git push > /tmp/x', { grants: new Set(['cmd:git push']) }).verdict, 'ask')
})

t.test('a command that starts in another folder is judged from there', async (t) => {
  const inFolder = (cwd: string) => decide({ tool: tool('terminal'), args: { command: 'echo x > ../y', cwd } }, context)
  t.same(inFolder('sub').patternKeys, ['cmd:echo'])
  t.same(inFolder('..').patternKeys, ['cmd:echo', 'write:outside', 'read:outside'])
})

t.test('an unattended run is told why and what to do', async (t) => {
  const verdict = run('git push', { attended: false })
  t.equal(verdict.verdict, 'forbid')
  t.match(verdict.reason, /cmd:git push.*nobody/)
  t.equal(run('git push', { attended: false, grants: new Set(['cmd:git push']) }).verdict, 'allow')
})

const files: Array<[tool: string, path: string, verdict: 'allow' | 'ask', keys: string[], maxScope?: string]> = [
  ['read_file', 'notes.md', 'allow', []],
  ['read_file', 'a/../notes.md', 'allow', []],
  ['read_file', '.env', 'allow', []],
  ['read_file', '../x', 'ask', ['read:outside'], 'session'],
  ['read_file', '/etc/hosts', 'ask', ['read:outside']],
  ['read_file', '/home/ann/workspace-2/x', 'ask', ['read:outside']],
  ['read_file', '/etc/shadow', 'ask', ['read:protected'], 'once'],
  ['read_file', '/home/ann/.svc/.env', 'ask', ['read:protected'], 'once'],
  ['read_file', '/home/ann/.svc/notes.md', 'ask', ['read:outside']],
  ['read_file', '/home/ann/.svc/webui/app.db', 'ask', ['read:protected'], 'once'],
  ['read_file', '/home/ann/.ssh/config', 'ask', ['read:protected'], 'once'],
  ['read_file', '/proc/1/environ', 'ask', ['read:protected'], 'once'],
  ['list_files', '.', 'allow', []],
  ['list_files', '/', 'ask', ['read:outside']],
  ['search_files', '.', 'allow', []],
  ['search_files', '/', 'ask', ['read:protected'], 'once'],
  ['write_file', 'notes.md', 'ask', ['write:workspace'], 'always'],
  ['edit_file', 'src/a.ts', 'ask', ['write:workspace']],
  ['write_file', '../notes.md', 'ask', ['write:outside'], 'session'],
  ['write_file', '/home/ann/.svc/config.yaml', 'ask', ['write:protected'], 'once'],
  ['write_file', '/home/ann/.svc/SOUL.md', 'ask', ['write:protected'], 'once'],
  ['write_file', '/home/ann/.bashrc', 'ask', ['write:protected'], 'once'],
  ['write_file', '/home/ann/.ssh/authorized_keys', 'ask', ['write:protected'], 'once'],
  ['write_file', '/home/ann/.curlrc', 'ask', ['write:protected'], 'once'],
  ['write_file', '/home/ann/.cache/x', 'ask', ['write:outside'], 'session'],
  ['write_file', '.npmrc', 'ask', ['write:protected'], 'once'],
  ['edit_file', '.husky/pre-commit', 'ask', ['write:protected'], 'once'],
  ['write_file', '.git/hooks/pre-commit', 'ask', ['write:protected'], 'once'],
  ['write_file', '.git/config', 'ask', ['write:protected'], 'once'],
  ['write_file', '.gitignore', 'ask', ['write:workspace']]
]

for (const [name, path, verdict, keys, maxScope] of files) {
  t.test(`${name} ${path}`, async (t) => {
    const got = decide({ tool: tool(name), args: { path, content: '', pattern: 'x' } }, context)
    t.equal(got.verdict, verdict)
    t.same(got.patternKeys, keys)
    if (maxScope !== undefined) t.equal(got.maxScope, maxScope)
    t.equal(got.leavesWorkspace, keys.some((key) => !key.endsWith(':workspace')))
  })
}

t.test('a workspace around or inside protected places', async (t) => {
  const judge = (workspace: string, path: string) => decide({ tool: tool('read_file'), args: { path } }, { ...context, workspace }).patternKeys
  t.same(judge('/home/ann', '.svc/.env'), ['read:protected'])
  t.same(judge('/home/ann', '.ssh/id_rsa'), ['read:protected'])
  t.same(judge('/home/ann/.svc/workspace', '.env'), [])
  const write = (workspace: string, path: string) => decide({ tool: tool('write_file'), args: { path, content: '' } }, { ...context, workspace }).patternKeys
  t.same([write('/home/ann/.work/a', 'x'), write('/home/ann/.work/a', '../b'), write('/home/ann', '.curlrc')], [['write:workspace'], ['write:protected'], ['write:protected']])
  t.same(judge('/home/ann/.svc/workspace', '../.env'), ['read:protected'])
})

t.test('addresses, tools without targets, sentences', async (t) => {
  const fetch = decide({ tool: tool('web_fetch'), args: { url: 'https://Example.com/a?b' } }, context)
  t.match(fetch, { verdict: 'ask', patternKey: 'net:example.com', description: 'Fetch https://Example.com/a?b', maxScope: 'always' })
  t.match(decide({ tool: tool('web_fetch'), args: { url: 'nonsense' } }, context), { patternKey: 'net:unknown', maxScope: 'once' })
  t.equal(decide({ tool: tool('todo'), args: { todos: [] } }, context).verdict, 'allow')
  t.equal(decide({ tool: tool('clarify'), args: { question: 'Which?' } }, context).verdict, 'allow')
  const unknownTool: Tool = { name: 'mail', description: '', parameters: Type.Object({}), risk: 'network', targets: () => ({}), preview: () => 'to Ann', run: async () => ({ text: '' }) }
  t.match(decide({ tool: unknownTool, args: {} }, context), { verdict: 'ask', patternKey: 'tool:mail', description: 'Use the tool mail: to Ann' })
  t.equal(run('git push').description, 'Run a command: git push')
  t.match(run('eval "$X"').description, /^Run a command: eval "\$X". Its effects cannot be checked in advance/)
  t.equal(decide({ tool: tool('write_file'), args: { path: 'notes.md', content: 'x' } }, context).description, 'Write notes.md')
})

t.test('symbolic links are followed before a path is judged', async (t) => {
  const root = realPath(t.testdir({ workspace: { real: {} }, home: { '.env': 'KEY=1' }, elsewhere: {} }))
  const workspace = join(root, 'workspace')
  const around: PolicyContext = { ...context, workspace, home: join(root, 'home'), serviceRoots: [], userHome: join(root, 'user'), resolvePath: realPath }
  symlinkSync('../home/.env', join(workspace, 'link'))
  symlinkSync(join(root, 'elsewhere'), join(workspace, 'folder'))
  symlinkSync(join(root, 'elsewhere/missing'), join(workspace, 'dangling'))
  symlinkSync('real', join(workspace, 'inside'))
  symlinkSync('loop', join(workspace, 'loop'))
  const judge = (name: string, path: string) => decide({ tool: tool(name), args: { path, content: '' } }, around).patternKeys
  t.same(judge('read_file', 'link'), ['read:protected'])
  t.same(judge('write_file', 'folder/new/file'), ['write:outside'])
  t.same(judge('write_file', 'dangling'), ['write:outside'])
  t.same(judge('write_file', 'inside/x'), ['write:workspace'])
  t.same(judge('read_file', 'folder/../workspace/real'), [], '`..` leaves the folder a link leads to')
  t.same(judge('read_file', 'folder/..'), ['read:outside'])
  t.same(judge('read_file', 'loop'), [])
  t.same(decide({ tool: tool('terminal'), args: { command: 'cat link' } }, around).patternKeys, ['cmd:cat', 'read:protected'])
})

t.test('nobody changes the service itself, by whatever name and with whatever tool', async (t) => {
  const root = realPath(t.testdir({ workspace: {}, disk: { state: { 'app.db': '' }, dist: { 'server.js': '' } }, home: {} }))
  symlinkSync('../disk/state', join(root, 'home/webui'))
  symlinkSync('../disk', join(root, 'workspace/link'))
  symlinkSync('../disk/state/app.db', join(root, 'workspace/file'))
  const around: PolicyContext = {
    ...context, workspace: join(root, 'workspace'), home: join(root, 'home'), serviceRoots: [join(root, 'home/webui')], programRoots: [join(root, 'disk/dist')], userHome: join(root, 'user'), resolvePath: undefined
  }
  const verdicts = (name: string, args: Record<string, unknown>) => [{}, { yolo: true }, { sandboxed: true, yolo: true }, { grants: new Set(['cmd:*', 'write:*']) }].map((changes) => decide({ tool: tool(name), args }, { ...around, ...changes }).verdict)
  const never = ['forbid', 'forbid', 'forbid', 'forbid']
  for (const path of ['file', 'link/state/new', 'link/dist/server.js', '../home/webui/app.db', join(root, 'disk/state/app.db')]) {
    t.same(verdicts('write_file', { path, content: '' }), never, `write_file ${path}`)
    t.same(verdicts('edit_file', { path, old_text: 'a', new_text: 'b' }), never, `edit_file ${path}`)
    t.same(verdicts('terminal', { command: `echo > ${path}` }), never, `> ${path}`)
    t.same(verdicts('terminal', { command: `tee ${path}` }), never, `tee ${path}`)
    t.not(decide({ tool: tool('read_file'), args: { path } }, around).verdict, 'forbid', `read_file ${path}`)
  }
  for (const command of ['rm -rf link/state', 'rm -rf link/', 'rm link/state/app.db', 'rm ../home/webui', 'mv ../home/webui x', 'mv ../disk x', 'rm -rf ../disk', 'chmod 000 link/state', 'cd link/state; rm *', 'truncate -s 0 file', 'ln -sfn x ../home/webui']) {
    t.same(verdicts('terminal', { command }), never, command)
  }
  for (const command of ['rm file', 'rm link', 'mv file x', 'cat file', 'cp file x', 'rm -rf ../disk2', 'touch x']) t.notOk(verdicts('terminal', { command }).includes('forbid'), command)
})

t.test('what was uploaded is read by any program and written by none', async (t) => {
  const around = { readable: ['/home/ann/.svc/webui/attachments/1'] }
  const file = '~/.svc/webui/attachments/1/a.docx'
  for (const command of [`pandoc ${file} -o x.md`, 'python -c \'print(open("/home/ann/.svc/webui/attachments/1/a.docx").read())\'', `ffmpeg -i ${file} x.mp4`, `pdftotext ${file} -`, `unzip ${file}`]) t.equal(run(command, { ...around, yolo: true }).verdict, 'allow', command)
  for (const command of [`pandoc x.md -o ${file}`, `ffmpeg -i x.mp4 ${file}`, `tool --output=${file}`, `rm ${file}`, `pandoc ${file} -o ~/.svc/webui/attachments/2/a.docx`]) t.equal(run(command, { ...around, yolo: true }).verdict, 'forbid', command)
})

t.test('links to the service are followed in the words of any program', async (t) => {
  const root = realPath(t.testdir({ workspace: {}, state: { 'app.db': '' } }))
  symlinkSync('../state', join(root, 'workspace/link'))
  const around: PolicyContext = { ...context, workspace: join(root, 'workspace'), home: join(root, 'home'), serviceRoots: [join(root, 'state')], programRoots: [], userHome: join(root, 'user'), resolvePath: undefined, yolo: true }
  for (const command of ['make -C link clean', 'tool -olink/x', 'tool --to=link/x', "awk '{print > \"link/x\"}' f", 'OUT=link make', `tool ${join(root, 'state/../state/x')}`, 'cd link && make']) {
    t.equal(decide({ tool: tool('terminal'), args: { command } }, around).verdict, 'forbid', command)
  }
  for (const command of ['cat link/app.db', 'make -C links', 'tool *.ts', "prettier '**/*.md'"]) t.equal(decide({ tool: tool('terminal'), args: { command } }, around).verdict, 'allow', command)
  const above = { ...around, workspace: root }
  for (const command of ['tool *.ts', "prettier '**/*.md'", "find . -name '*.o' -delete", 'make']) t.equal(decide({ tool: tool('terminal'), args: { command } }, above).verdict, 'allow', `above: ${command}`)
  for (const command of ['tool state', "find . -name '*.db' -delete"]) t.equal(decide({ tool: tool('terminal'), args: { command } }, above).verdict, 'forbid', `above: ${command}`)
})

t.test('who works on the program from which the service runs may do so', async (t) => {
  for (const workspace of ['/srv/service/dist', '/srv/service/dist/sub']) t.equal(decide({ tool: tool('write_file'), args: { path: 'x', content: '' } }, { ...context, workspace, yolo: true }).verdict, 'allow')
  t.equal(decide({ tool: tool('write_file'), args: { path: 'dist/x', content: '' } }, { ...context, workspace: '/srv/service', yolo: true }).verdict, 'forbid')
})

t.test('realPath agrees with the system on paths that exist', async (t) => {
  const root = realPath(t.testdir({ a: { b: {} } }))
  writeFileSync(join(root, 'a/file'), '')
  mkdirSync(join(root, 'c'))
  symlinkSync('../a', join(root, 'c/up'))
  t.equal(realPath(join(root, 'c/up/b')), join(root, 'a/b'))
  t.equal(realPath(`${root}/c/up/../a/file`), join(root, 'a/file'))
  t.equal(realPath(`${root}//c/./up`), join(root, 'a'))
})

t.test('patterns mean what the same regular expression means', async (t) => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', ' ', '.', '*'), maxLength: 12 })
  fc.assert(fc.property(text, text.map((key) => key.replaceAll('*', '')), (pattern, key) => {
    const same = new RegExp(`^${pattern.split('*').map((piece) => piece.replaceAll('.', '\\.')).join('.*')}$`)
    return matches(pattern, key) === same.test(key)
  }), { numRuns: tries(2000) })
  t.pass()
})

const piece = fc.constantFrom('rm', '-rf', '/', '$X', '"', "'", '`', '$(', ')', '{', '}', '|', '&&', ';', '\n', '>', '<<EOF', 'EOF', 'sudo', 'bash', '-c', 'cd', '~', '*', '((', '[[', 'if', 'fi', '\\', 'é', '\0',
  'xargs', '-I{}', '{}', 'find', '-exec', '\\;', 'env', '-S', 'git', 'push', '--force', 'curl', 'f()', 'f', '$1', 'eval', 'parallel', ':::', 'ssh', '\u00a0', '；', '<(', 'X=', 'npx', 'exec', '<', 'coproc')
const line = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(' '))

t.test('whatever the model writes, there is a verdict, and without grants it never runs unasked', async (t) => {
  fc.assert(fc.property(line, (command) => {
    const verdict = run(command)
    return verdict.verdict !== 'allow' && verdict.patternKeys.length > 0 && !verdict.confined && verdict.patternKeys.every((key) => !key.includes('*'))
  }), { numRuns: tries(1000) })
  t.pass()
})

t.test('whatever the model writes, nothing leaves the sandbox unasked, and nothing is looser inside than the floor and the operator permit', async (t) => {
  fc.assert(fc.property(line, (command) => {
    const outside = run(command)
    const inside = run(command, { sandboxed: true })
    const denied = run(command, { sandboxed: true, yolo: true, denied: ['cmd:*', 'shell:*', '*:*'] })
    return (inside.verdict !== 'allow' || inside.confined) && (outside.verdict !== 'forbid' || inside.verdict === 'forbid') &&
      inside.patternKeys.every((key) => outside.patternKeys.includes(key)) && unconfined(command).verdict === outside.verdict && denied.verdict === 'forbid'
  }), { numRuns: tries(1000) })
  t.pass()
})

t.test('long and tangled command lines are judged in time', async (t) => {
  const long = [
    'rm x; '.repeat(5000), 'a'.repeat(32_000), `echo ${'x '.repeat(16_000)}`, `echo ${'/a/b/c '.repeat(4600)}`, `sed '${'s/a/b/;'.repeat(4000)}' x`, `${'ssh a '.repeat(5000)}`, `${'f() { f; f; }; '.repeat(1500)}f`, `echo ${'{a,b}'.repeat(5000)}`,
    `${'sudo '.repeat(6000)}ls`, `X=${'a '.repeat(10_000)}; $X $X $X`, `rm ${'*'.repeat(30_000)}`, `rm -rf /${'*/'.repeat(2000)}`, `git push ${'-'.repeat(30_000)}`, `awk '${'print '.repeat(5000)}' x`, `sed '${';'.repeat(30_000)}' x`,
    'bash -c "'.repeat(7) + 'rm x', `ls ${'\\\n'.repeat(10_000)}`, 'find . -exec sh -c x {} + '.repeat(1200), 'alias a=b; '.repeat(2900)
  ]
  for (const command of long) {
    const before = process.cpuUsage()
    run(command)
    // CPU time, which other work on the machine does not affect.
    const { user, system } = process.cpuUsage(before)
    const tookMs = (user + system) / 1_000
    t.ok(tookMs < 20_000, `${command.slice(0, 30)}… took ${Math.round(tookMs)} ms`)
  }
})
