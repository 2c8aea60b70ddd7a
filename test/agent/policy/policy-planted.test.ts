import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
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

/** A repository as files alone make it, whose settings name a program. */
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
