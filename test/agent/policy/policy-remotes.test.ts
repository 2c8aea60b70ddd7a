import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { decide } from '../../../services/agent/policy/index.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'

const terminal = createTools().find(({ name }) => name === 'terminal') as Tool
const root = realpathSync(t.testdir({ home: { '.gitconfig': '' }, workspace: { sub: {}, plain: {} }, other: {}, svc: {} }))
const home = join(root, 'home')
const workspace = join(root, 'workspace')
const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
const git = (...args: string[]): string => execFileSync('git', ['-C', workspace, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
const configure = (text: string, path = join(workspace, '.git', 'config')): void => appendFileSync(path, text)
const judge = (command: string, grants: readonly string[] = [], cwd?: string) => decide({ tool: terminal, args: { command, ...cwd === undefined ? {} : { cwd } } },
  { workspace, home: join(root, 'svc'), serviceRoots: [], userHome: home, grants: new Set(grants), yolo: false, attended: true })
const hosts = (command: string, cwd?: string): string[] => judge(command, [], cwd).patternKeys.filter((key) => key.startsWith('net:')).map((key) => key.slice('net:'.length)).sort()

t.beforeEach(() => {
  for (const name of ['.git', 'sub', 'plain', '.gitmodules', '.lfsconfig']) rmSync(join(workspace, name), { recursive: true, force: true })
  mkdirSync(join(workspace, 'plain'))
  rmSync(join(root, 'linked'), { recursive: true, force: true })
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ann\n\temail = ann@a.example\n')
  git('init', '-q', '-b', 'main')
  git('remote', 'add', 'origin', 'git@a.example:r.git')
  git('remote', 'add', 'fork', 'https://b.example/r.git')
})

t.test('a grant binds the addresses that a remote had, as they are when it is used', async (t) => {
  const { patternKeys, maxScope, description } = judge('git push origin main')
  t.same(patternKeys, ['cmd:git push', 'net:a.example'])
  t.equal(maxScope, 'always')
  t.match(description, 'a.example')
  t.equal(judge('git push origin main', patternKeys).verdict, 'allow')
  t.equal(judge('git push fork main', patternKeys).verdict, 'ask')
  git('remote', 'set-url', 'origin', 'https://c.example/r.git')
  t.match(judge('git push origin main', patternKeys), { verdict: 'ask', patternKeys: ['cmd:git push', 'net:c.example'] })
})

t.test('the remote that git takes is the one that is judged', async (t) => {
  t.same(hosts('git push'), ['a.example'])
  git('config', 'branch.main.remote', 'fork')
  t.same([hosts('git push'), hosts('git pull'), hosts('git fetch'), hosts('git ls-remote')], [['b.example'], ['b.example'], ['b.example'], ['b.example']])
  configure('[remote]\n\tpushDefault = origin\n')
  t.same([hosts('git push'), hosts('git pull')], [['a.example'], ['b.example']])
  configure('[branch "main"]\n\tpushRemote = https://c.example/x\n')
  t.same(hosts('git push'), ['c.example'])
  t.same(hosts('git checkout -b other && git push'), ['a.example', 'b.example', 'c.example'], 'whatever branch it may be')
  for (const all of ['git fetch --all', 'git remote update', 'git fetch --multiple origin fork', 'git maintenance run']) t.same(hosts(all), ['a.example', 'b.example'], all)
  t.same([hosts('git remote prune fork'), hosts('git remote show fork'), hosts('git remote -v'), hosts('git remote')], [['b.example'], ['b.example'], [], []])
  configure('[remotes]\n\tmine = fork\n')
  t.same(hosts('git fetch mine'), ['a.example', 'b.example'])
})

t.test('addresses are rewritten as git does it', async (t) => {
  configure('[url "https://c.example/"]\n\tinsteadOf = git@a.example:\n')
  t.same([hosts('git push'), git('ls-remote', '--get-url').trim()], [['c.example'], 'https://c.example/r.git'])
  configure('[url "ssh://d.example/"]\n\tpushInsteadOf = git@a.example:\n', join(home, '.gitconfig'))
  t.same([hosts('git push'), hosts('git fetch'), hosts('git push git@a.example:x')], [['d.example'], ['c.example'], ['d.example']])
  t.equal(git('remote', 'get-url', '--push', 'origin').trim(), 'ssh://d.example/r.git')
  configure('[remote "origin"]\n\tpushurl = https://e.example/1\n\tpushurl = https://f.example/2\n')
  t.same([hosts('git push'), hosts('git fetch')], [['e.example', 'f.example'], ['c.example']])
  t.same(hosts('git clone git@a.example:x'), ['c.example'])
})

t.test('settings are found where git finds them', async (t) => {
  writeFileSync(join(workspace, 'more'), '[url "https://c.example/"]\n\tinsteadOf = git@a.example:\n')
  configure('[include]\n\tpath = ../more\n')
  t.same(hosts('git push'), ['c.example'])
  git('commit', '-q', '--allow-empty', '-m', 'x')
  git('worktree', 'add', '-q', join(root, 'linked'))
  mkdirSync(join(root, 'linked', 'deep'))
  t.same([hosts('git push', join(root, 'linked')), hosts(`git -C ${root} -C linked/deep push fork`)], [['c.example'], ['b.example']])
  git('config', 'extensions.worktreeConfig', 'true')
  git('-C', join(root, 'linked'), 'config', '--worktree', 'remote.fork.url', 'https://d.example/r')
  t.match(hosts('git push fork', join(root, 'linked')), ['b.example', 'd.example'])
  configure('[includeIf "gitdir:~/x/"]\n\tpath = ../more\n')
  t.same(hosts('git push'), ['unknown'], 'a condition is not followed')
})

t.test('the folder is the one that git works in', async (t) => {
  mkdirSync(join(workspace, 'sub'))
  execFileSync('git', ['init', '-q', join(workspace, 'sub')], { env: environment })
  configure('[remote "origin"]\n\turl = https://c.example/r\n', join(workspace, 'sub', '.git', 'config'))
  t.same([hosts('git -C sub push'), hosts('git push', 'sub'), hosts('cd sub && git push'), hosts('cd plain && git push')], [['c.example'], ['c.example'], ['a.example', 'c.example'], ['a.example']])
  rmSync(join(workspace, 'sub', '.git', 'objects'), { recursive: true })
  t.same(hosts('git -C sub push'), ['unknown'], 'git passes over what is no whole repository')
})

t.test('what cannot be told asks once', async (t) => {
  for (const command of ['git push nowhere', 'git -C "$X" push', 'git push -- "$X"', 'git clone --recurse-submodules https://a.example/x', 'git fetch --recurse-submodules', 'git svn fetch', 'cd /tmp && git -C /tmp push origin']) {
    t.ok(hosts(command).includes('unknown'), command)
    t.equal(judge(command).maxScope, 'once', command)
  }
  configure('[remote "odd"]\n\turl = x\n\tvcs = other\n[remote "run"]\n\turl = ext::sh -c id\n')
  t.same(hosts('git push odd'), ['unknown'])
  t.equal(judge('git push run').patternKeys[0], 'shell:opaque')
  mkdirSync(join(workspace, '.git', 'remotes'), { recursive: true })
  writeFileSync(join(workspace, '.git', 'remotes', 'old'), 'URL: https://c.example/r\n')
  t.same(hosts('git push old'), ['unknown'])
  configure('[broken\n')
  t.same(hosts('git push'), ['unknown'])
})

t.test('links are not followed to settings', async (t) => {
  writeFileSync(join(root, 'other', 'config'), '[remote "origin"]\n\turl = https://c.example/r\n')
  rmSync(join(workspace, '.git', 'config'))
  symlinkSync(join(root, 'other', 'config'), join(workspace, '.git', 'config'))
  t.same(hosts('git push'), ['unknown'])
  rmSync(join(home, '.gitconfig'))
  writeFileSync(join(root, 'other', 'own'), '[url "https://d.example/"]\n\tinsteadOf = x:\n')
  symlinkSync(join(root, 'other', 'own'), join(home, '.gitconfig'))
  t.same(hosts('git clone x:r', join(root, 'other')), ['d.example'], 'but for those of the user')
})

t.test('what the same command line may have changed is not relied on', async (t) => {
  for (const before of ['git remote set-url origin https://a.example/x', 'git config remote.origin.url x', './x', 'make', 'npm test', 'python x.py', 'cp -r x y', 'mv x y', 'echo x > sub/.git', 'bash x.sh', 'sh -c "./x"', 'git submodule sync', 'git init', 'f() { ./x; }; f']) {
    for (const join of ['; ', ' && ', ' | ', '\n']) {
      if (join === ' && ' && before.includes('{')) continue
      t.ok(hosts(`${before}${join}git push`).includes('unknown'), `${before}${join}`)
    }
  }
  for (const line of ['while true; do git push; ./x; done', 'git push & ./x', 'git push | ./x', 'f() { git push; }; ./x; f']) t.ok(hosts(line).includes('unknown'), line)
  for (const line of ['git add . && git commit -m x && git push', 'git push; ./x', 'cat a | grep b; mkdir -p c; git push 2>&1 | tail -5', 'git status && git fetch origin && git log -3', 'git pull && git push', 'echo hi > a.txt; git push']) {
    t.same(hosts(line), ['a.example'].filter((host) => host !== ''), line)
  }
})

t.test('submodules and large files go where they are kept', async (t) => {
  t.same(judge('git submodule update --init').patternKeys, ['cmd:git submodule'], 'there are none')
  writeFileSync(join(workspace, '.gitmodules'), '[submodule "one"]\n\tpath = one\n\turl = https://c.example/one\n[submodule "two"]\n\tpath = two\n\turl = ../two\n')
  t.same([hosts('git submodule update --init'), hosts('git submodule update')], [['a.example', 'c.example'], []])
  configure('[submodule "one"]\n\turl = https://d.example/one\n')
  t.same([hosts('git submodule update'), hosts('git fetch'), hosts('git fetch --no-recurse-submodules')], [['d.example'], ['a.example', 'd.example'], ['a.example']])
  mkdirSync(join(workspace, '.git', 'modules', 'one'), { recursive: true })
  writeFileSync(join(workspace, '.git', 'modules', 'one', 'config'), '[remote "origin"]\n\turl = https://e.example/one\n')
  t.same(hosts('git submodule update'), ['d.example', 'e.example'])
  t.ok(hosts('git submodule update --recursive').includes('unknown'))
  writeFileSync(join(workspace, '.lfsconfig'), '[lfs]\n\turl = https://f.example/lfs\n')
  t.same([hosts('git push'), hosts('git lfs push origin main')], [['a.example', 'f.example'], ['a.example', 'f.example']])
})

t.test('a remote on this machine is a path', async (t) => {
  git('remote', 'add', 'outside', join(root, 'other'))
  git('remote', 'add', 'inside', './plain')
  t.match(judge('git push outside').patternKeys, ['cmd:git push', 'write:outside'], 'nothing is planted there without a write that was asked about')
  t.match(judge('git fetch outside').patternKeys, ['cmd:git fetch', 'read:outside'])
  t.equal(judge('git push inside').patternKeys[0], 'shell:opaque', 'it may have hooks that nobody has seen')
  execFileSync('git', ['init', '-q', join(workspace, 'plain')], { env: environment })
  t.same(judge('git push inside').patternKeys, ['cmd:git push'], 'hooks of such a one are protected')
})
