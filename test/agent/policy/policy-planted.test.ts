import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { decide } from '../../../services/agent/policy/index.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'

const tools = createTools()
const terminal = tools.find(({ name }) => name === 'terminal') as Tool
const writeFile = tools.find(({ name }) => name === 'write_file') as Tool
const root = realpathSync(t.testdir({ home: { '.gitconfig': '' }, workspace: { sub: {}, plain: {} }, outside: {}, svc: {} }))
const home = join(root, 'home')
const workspace = join(root, 'workspace')
const environment = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
const git = (...args: string[]): void => { execFileSync('git', ['-C', workspace, '-c', 'user.name=a', '-c', 'user.email=a@a.example', ...args], { env: environment, stdio: 'pipe' }) }
const context = { workspace, home: join(root, 'svc'), serviceRoots: [], userHome: home, yolo: false, attended: true }
const judge = (command: string, grants: readonly string[] = []) => decide({ tool: terminal, args: { command } }, { ...context, grants: new Set(grants) })
const opaque = { verdict: 'ask', patternKey: 'shell:opaque', maxScope: 'once' }
git('init', '-q', '-b', 'main')
git('commit', '-q', '--allow-empty', '-m', 'x')

/** Creates a repository from plain files, whose settings name a program. */
function makeRepository (folder: string): void {
  for (const name of ['objects', 'refs']) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(folder, 'config'), `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ${workspace}\n\tfsmonitor = "touch '${join(root, 'ran')}'; false"\n`)
}

t.test('git in a repository that is made of files of the workspace asks, as it runs what those say', async (t) => {
  makeRepository(join(workspace, 'sub'))
  execFileSync('git', ['status'], { cwd: join(workspace, 'sub'), env: environment, stdio: 'pipe' })
  t.ok(existsSync(join(root, 'ran')), 'it does run it')
  writeFileSync(join(workspace, 'plain', '.git'), 'gitdir: ../sub\n')
  mkdirSync(join(workspace, 'sub', 'deep'))
  for (const subcommand of ['status', 'log', 'diff', 'add .', 'commit -m x', 'show', 'branch', 'rev-parse HEAD', 'ls-files', 'stash']) {
    const grants = judge(`git ${subcommand}`).patternKeys
    t.equal(judge(`git ${subcommand}`, grants).verdict, 'allow', subcommand)
    for (const line of [`git -C sub ${subcommand}`, `cd sub && git ${subcommand}`, `git -C sub/deep ${subcommand}`, `git -C plain ${subcommand}`, `(cd plain; git ${subcommand})`]) t.match(judge(line, grants), opaque, line)
  }
  t.match(judge('mkdir -p new/objects new/refs; echo x > new/HEAD; cd new; git status', ['cmd:git status', 'cmd:mkdir', 'cmd:echo']), opaque, 'made by the same line')
  rmSync(join(workspace, 'plain', '.git'))
})

t.test('work trees, submodules and repositories elsewhere are as good as ever', async (t) => {
  git('worktree', 'add', '-q', join(workspace, 'tree'))
  makeRepository(join(root, 'outside'))
  for (const line of ['git -C tree status', 'cd tree && git log', `git -C ${join(root, 'outside')} status`, 'cd .git && git status', 'git -C plain status']) t.not(judge(line).patternKey, 'shell:opaque', line)
})

t.test('nothing brings, takes or opens the folder of a repository unasked', async (t) => {
  const writers = ['cp config', 'cp -r hooks', 'mv hooks', 'mv x', 'ln -s ../x', 'rsync -a a/', 'scp a.example:config', 'install x', 'tar xf a.tar -C', 'tar -x -f a.tar --directory', 'curl https://a.example/config -O --output-dir', 'wget https://a.example/config -P',
    'unzip a.zip -d', 'rm -rf', 'chmod -R +x', 'touch', 'git clone https://a.example/r', 'pip download x --dest', 'cargo build --target-dir', 'tee', 'rclone copy x:b']
  for (const writer of writers) {
    for (const folder of ['.git', '.git/', './.git', 'sub/.git', '.GIT', '"$PWD/.git"', '.gi?', '.g*', '.[g]it', '[.]git']) t.ok(judge(`${writer} ${folder}`).patternKeys.includes('write:protected'), `${writer} ${folder}`)
  }
  for (const line of ['wget -qO.git/config https://a.example', 'curl -sc.git/config https://a.example', 'curl -sSo.git/config https://a.example', 'sed -i s/a/b/ .g*/config', 'ls > .gi?/config', 'ls > sub/.git', 'cd .git && tar xf ../a.tar', 'cd .git && curl -O https://a.example/config',
    'cd .git; patch -p1 < ../x', 'env -C .git tar xf ../a.tar', 'pushd .git; wget https://a.example/config']) t.ok(judge(line).patternKeys.includes('write:protected'), line)
  for (const path of ['.git', 'sub/.git', 'sub/.git/config', '.git/hooks/x']) {
    t.match(decide({ tool: writeFile, args: { path, content: 'gitdir: ../sub' } }, { ...context, grants: new Set(['write:workspace']) }), { verdict: 'ask', patternKey: 'write:protected' }, path)
  }
  for (const line of ['tar --exclude=.git -czf a.tgz .', 'tar --exclude .git -czf a.tgz .', 'rsync -a --exclude .git a/ b/', 'zip -qr a.zip . -x .git', 'du -sh .git', 'ls -la .git', 'cp .gitignore x', 'cat .git/config', 'rm -f .gitmodules', 'cd .git && ls', 'grep -r "a.*b" src']) {
    t.notOk(judge(line).patternKeys.includes('write:protected'), line)
  }
})

t.test('a way to merge is no path', async (t) => {
  for (const subcommand of ['merge', 'pull', 'rebase', 'cherry-pick', 'revert']) {
    for (const option of ['--strategy=./x', '--strategy ./x', '--strategy=a/../x', ...['cherry-pick', 'revert'].includes(subcommand) ? [] : ['-s ./x', '-s./x', '-qs ./x']]) t.match(judge(`git ${subcommand} ${option} b`), opaque, `git ${subcommand} ${option}`)
    t.not(judge(`git ${subcommand} feature/x`).patternKey, 'shell:opaque')
  }
})

t.test('what a repository makes git run belongs to the grant, with its content', async (t) => {
  const owned = (command: string): string[] => judge(command).patternKeys.filter((key) => key.startsWith('git:own'))
  t.same(owned('git status'), [], 'a plain repository has nothing of the kind')
  const steps: Array<[what: string, said: string, change: () => void, undo: () => void]> = [
    ['a hook', '“.git/hooks/pre-commit is run by git”', () => { writeFileSync(join(workspace, '.git/hooks/pre-commit'), 'id\n'); chmodSync(join(workspace, '.git/hooks/pre-commit'), 0o755) }, () => { rmSync(join(workspace, '.git/hooks/pre-commit')) }],
    ['a setting', '“.git/config sets core.fsmonitor = ./x”', () => { git('config', 'core.fsmonitor', './x') }, () => { git('config', '--unset', 'core.fsmonitor') }],
    ['a filter', '“.git/config sets filter.x.clean = ./x”', () => { git('config', 'filter.x.clean', './x') }, () => { git('config', '--unset', 'filter.x.clean') }],
    ['attributes', '“.git/info/attributes decides which filters git runs on files”', () => { mkdirSync(join(workspace, '.git/info'), { recursive: true }); writeFileSync(join(workspace, '.git/info/attributes'), '* filter=x\n') }, () => { rmSync(join(workspace, '.git/info/attributes')) }],
    ['hooks of the work tree', '“.husky/pre-commit is in the folder of hooks that git runs”', () => {
      mkdirSync(join(workspace, '.husky/_'), { recursive: true })
      for (const name of ['_/pre-commit', 'pre-commit']) writeFileSync(join(workspace, '.husky', name), 'npm test\n')
      git('config', 'core.hooksPath', '.husky/_')
    }, () => { git('config', '--unset', 'core.hooksPath') }]
  ]
  for (const [what, said, change, undo] of steps) {
    change()
    const { patternKeys, description } = judge('git commit -m x')
    t.same(owned('git commit -m x').length, 1, what)
    t.match(description, 'Git may run programs that the hooks or settings of this repository name: “', what)
    t.match(description, said, `${what}: the card names it`)
    t.equal(judge('git commit -m x', ['cmd:git commit']).verdict, 'ask', what)
    t.equal(judge('git commit -m x', patternKeys).verdict, 'allow', what)
    for (const line of ['gh pr create', 'go build ./...', 'go -C plain build', 'cd plain && go install', 'npm version patch', 'npm --silent version patch', 'cargo publish']) t.same(owned(line), owned('git status'), `${what}: ${line} starts git and is no better`)
    for (const line of ['go vet ./...', 'npm install x', 'npm ls', 'cargo check']) t.same(owned(line), [], line)
    undo()
    t.same(owned('git status'), [], `${what}: gone`)
  }
  git('config', 'core.hooksPath', '.husky/_')
  const { patternKeys } = judge('git commit -m x')
  for (const [path, content] of [['.husky/pre-commit', 'id'], ['.husky/_/post-commit', 'id'], ['.pre-commit-config.yaml', 'repos: []']] as const) {
    writeFileSync(join(workspace, path), content)
    t.equal(judge('git commit -m x', patternKeys).verdict, 'ask', path)
    rmSync(join(workspace, path))
    if (path === '.husky/pre-commit') writeFileSync(join(workspace, path), 'npm test\n')
    t.equal(judge('git commit -m x', patternKeys).verdict, 'allow', `${path} as it was`)
  }
  git('config', '--unset', 'core.hooksPath')
})

t.test('a whole repository that an archive or a copy brings is another one than was allowed', async (t) => {
  cpSync(join(workspace, '.git'), join(workspace, 'brought', '.git'), { recursive: true })
  t.equal(judge('git -C brought status', ['cmd:git status']).verdict, 'allow', 'it is as good as it is plain')
  writeFileSync(join(workspace, 'brought', '.git', 'config'), '[core]\n\tfsmonitor = ./x\n')
  t.match(judge('git -C brought status', ['cmd:git status']), { verdict: 'ask', maxScope: 'always' })
  for (const line of ['tar xf a.tar && git status', 'unzip a.zip; git -C new status', 'rsync -a a/ b/ && cd b && git log', 'cp -r a new && git -C new status', 'mv a new; cd new; git status', ...['cp -t new a', 'cp -rt new a', 'cp -tnew a', 'mv -t new a', 'mv --target-directory=new a', 'mv --targ new a', 'install --t=new a', 'install -t new a', 'ln -st new a', 'cp -t "$X" a'].map((line) => `${line} && git -C new status`)]) t.match(judge(line), opaque, line)
  for (const line of ['cp -r a b && git add b', 'cp -t b a && git status', 'install -t b a && git status', 'mv a b && git add -A', 'git clone https://a.example/r && cd r && git log']) t.not(judge(line).patternKey, 'shell:opaque', line)
  rmSync(join(workspace, 'brought'), { recursive: true })
})

t.test('the repositories that git enters from another one count as well', async (t) => {
  const outer = join(workspace, 'outer')
  const inner = join(outer, 'a', 'inner')
  const ran = join(root, 'inner-ran')
  const inside = (folder: string, ...args: string[]): void => { execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@a.example', '-c', 'protocol.file.allow=always', ...args], { env: environment, stdio: 'pipe' }) }
  for (const folder of [outer, inner]) {
    mkdirSync(folder, { recursive: true })
    inside(folder, 'init', '-q', '-b', 'main')
  }
  inside(inner, 'commit', '-q', '--allow-empty', '-m', 'x')
  for (const name of ['a/b', 'a/inner-file', 'z']) writeFileSync(join(outer, name), 'x')
  inside(outer, 'add', '.')
  inside(outer, 'commit', '-q', '-m', 'x')
  const lines = ['status', 'diff', 'add -A', 'commit -m x', 'log', 'stash'].map((subcommand) => `git -C outer ${subcommand}`)
  for (const line of lines) t.equal(judge(line, ['cmd:git status', 'cmd:git diff', 'cmd:git add', 'cmd:git commit', 'cmd:git log', 'cmd:git stash']).verdict, 'allow', `${line} with a plain one`)
  inside(inner, 'config', 'core.fsmonitor', `touch '${ran}'; false`)
  inside(outer, 'status')
  t.ok(existsSync(ran), 'git does run it')
  for (const version of ['2', '3', '4']) {
    inside(outer, 'update-index', '--index-version', version)
    if (version === '3') {
      writeFileSync(join(outer, 'a', 'a-later'), 'x')
      inside(outer, 'add', '-N', 'a/a-later')
    }
    for (const line of lines) {
      const { patternKeys, description } = judge(line)
      t.match(description, '“outer/a/inner/.git/config sets core.fsmonitor', line)
      t.equal(judge(line, patternKeys.filter((key) => !key.startsWith('git:own'))).verdict, 'ask', `${line}, version ${version}`)
      t.equal(judge(line, patternKeys).verdict, 'allow', `${line}, once it is allowed`)
    }
  }
  inside(outer, 'update-index', '--split-index')
  t.match(judge('git -C outer status'), opaque, 'in a list that is split it is not looked for')
  inside(outer, 'update-index', '--no-split-index')
  for (const name of ['sharedindex']) execFileSync('sh', ['-c', `rm -f ${join(outer, '.git', name)}.*`])
  inside(inner, 'config', '--unset', 'core.fsmonitor')
  t.equal(judge('git -C outer status', ['cmd:git status']).verdict, 'allow')
  cpSync(join(inner, '.git'), join(outer, 'z.d'), { recursive: true })
  rmSync(join(inner, '.git'), { recursive: true })
  t.equal(judge('git -C outer status', ['cmd:git status']).verdict, 'allow', 'one that is not there is not entered')
  writeFileSync(join(inner, '.git'), 'gitdir: ../../z.d\n')
  t.match(judge('git -C outer status'), opaque, 'any files')
  rmSync(inner, { recursive: true })
  inside(outer, 'rm', '-q', '--cached', 'a/inner')
  inside(outer, 'submodule', '--quiet', 'add', `${workspace}/.git`, 'sub module')
  t.equal(judge('git -C outer status', ['cmd:git status']).verdict, 'allow', 'a submodule as git makes it is plain')
  t.equal(judge('git -C "outer/sub module" status', ['cmd:git status']).verdict, 'allow', 'there as well')
  inside(join(outer, 'sub module'), 'config', 'core.fsmonitor', './x')
  t.match(judge('git -C outer status', ['cmd:git status']), { verdict: 'ask', maxScope: 'always' })
  rmSync(outer, { recursive: true })
})

t.test('a list of files that cannot be read is no better than one that names repositories', async (t) => {
  const index = join(workspace, '.git', 'index')
  const before = existsSync(index) ? readFileSync(index) : null
  for (const bytes of [Buffer.concat([Buffer.from('DIRC\0\0\0\x02\0\0\0\x01', 'latin1'), Buffer.from([0, 0, 0xe0, 0])]), Buffer.alloc(500, Buffer.from([0, 0, 0xe0, 0]))]) {
    writeFileSync(index, bytes)
    t.match(judge('git status'), opaque)
  }
  rmSync(index)
  if (before !== null) writeFileSync(index, before)
})
