import { mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { Budget } from '../../../services/agent/policy/budget.js'
import { Disk } from '../../../services/agent/policy/disk.js'
import { decide, type PolicyContext, type Verdict } from '../../../services/agent/policy/index.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'

const terminal = createTools().find(({ name }) => name === 'terminal') as Tool
const root = realpathSync(t.testdir({
  ann: {
    '.ssh': { id_rsa: 'x' }, '.svc': {}, other: { notes: 'x' },
    workspace: { a: '', 'README.md': '', 'sub.txt': '', src: { 'a.ts': '', deep: { 'b.ts': '' } }, plain: { 'c.txt': '',
      er: { 'd.txt': '' } } }
  }
}))
const home = join(root, 'ann')
const workspace = join(home, 'workspace')
const link = (path: string, target: string): void => {
  mkdirSync(join(workspace, path, '..'), { recursive: true })
  symlinkSync(target, join(workspace, path))
}
link('k', '../.ssh/id_rsa')
link('d', '/')
link('sub/k', '../../.ssh/id_rsa')
link('sub/abs', join(home, '.ssh/id_rsa'))
link('sub/deep/o', '../../../other')
link('inside/to', '../src')
link('sub/to', '../src/deep')
link('inside/file', '../README.md')
link('inside/loop', '.')
link('far/on', '../sub')
link('far/deep/abs', join(home, '.ssh/id_rsa'))

const context: PolicyContext = { workspace, home: join(home, '.svc'), serviceRoots: [], userHome: home, yolo: false, attended: true,
  grants: new Set() }
const judge = (command: string, more: Partial<PolicyContext> = {}): Verdict => decide({ tool: terminal, args: { command } }, { ...context,
  ...more })
/** The permissions that a line needs besides those for its programs. */
const needs = (command: string): string[] => judge(command).patternKeys.filter((key) => !key.startsWith('cmd:'))

t.test('a pattern asks like the names of the links that it finds', async (t) => {
  const reading = ['cat k*', 'cat ?', 'cat *', 'cat [k]', 'cat [!a]', 'cat ./*', 'cat "$PWD"/*', `cat ${workspace}/k*`, 'cat sub/*',
    'cat */k', 'cat s*/k', 'cat sub/../k*', 'cat [[:alpha:]]', 'cat d*/root/.ssh/x', 'wc -l *',
    'for f in *; do cat "$f"; done', 'for f in *; do cat "$f/k"; done', 'x=*; cat $x', 'set -- k*; cat "$1"', 'cat $(echo k*)',
    "bash -c 'cat k*'", 'sh -c "cat k*"', 'cat < k*', 'cd s*; cat k', 'cd su?/ && cat [k]', 'head -1 -- k*', 'grep x k*', 'cat far/*/k',
    'cat far/o*/k',
    'shopt -s globstar; cat **/k', 'cat **', 'shopt -s extglob\ncat @(k|x)', 'cat {s,x}*/k', 'cp k* e', 'source k*', 'x="\\k*"; cat $x',
    'find . | xargs cat k*']
  for (const command of reading) t.ok(needs(command).some((key) => key.endsWith(':protected')), `${command}: ${needs(command).join(' ')}`)
  for (const command of ['echo x > k*', 'sed -i s/a/b/ k*', 'tee ?', 'chmod 777 sub/*', 'cp a k*', 'truncate -s 0 s*/k']) {
    t.ok(needs(command).includes('write:protected'), command)
  }
  for (const command of ['cat sub/deep/*/notes', 'cat s*/d*/o/notes', 'ls sub/deep/*', 'cd sub/d*/o && cat notes']) {
    t.ok(needs(command).includes('read:outside'), command)
  }
  for (const command of ['cat .*/other/notes', 'ls .*', 'cp -r .* e', 'cat plain/.*/.*/other/notes']) {
    t.ok(needs(command).some((key) => key.endsWith(':outside')), `${command} finds the folder above in older shells`)
  }
  t.same(needs('cd d*; cat etc/hostname'), ['read:outside'])
  t.ok(needs('cd d*; cat etc/shadow').includes('read:protected'))
  t.equal(judge('chmod -R 777 d*').verdict, 'forbid', 'as without the pattern')
  t.equal(judge('rm -rf d*/').verdict, 'forbid')
})

t.test('a pattern that finds no link outwards, or a program that takes the link itself, asks nothing', async (t) => {
  for (const command of ['cat *.md', 'cat src/*', 'cat [s]rc/*.ts', 'ls src/*', 'cat inside/*', 'cat inside/*/*.ts', 'cat inside/loop/*/*',
    'cat plain/**', 'wc -l [R]*', 'ls plain/*/*', 'cat x*', 'cat .*rc', 'ls .[!.]*', 'ls .??*', 'ls -d .*', 'cat plain/.*/a',
    'rm -rf *', 'rm k*', 'git add *', 'git add -A', 'git rm sub/*', 'mv sub/* src', 'cp -a sub/* plain', 'cp -P k* src', 'ls -d *',
    'find . -name "*"', 'find . -path "*/sub/*" -name k', "rg foo -g '*'", 'echo *', 'stat *', "grep 'k*' README.md"]) {
    t.same(needs(command).filter((key) => key !== 'write:workspace'), [], command)
  }
})

t.test('a program that follows the links in a folder asks for what they lead to', async (t) => {
  for (const command of ['grep -R x .', 'grep -R x', 'grep -nR x sub', 'grep --dereference-recursive x', 'grep -R -A 3 x', 'rg -L x',
    'rg --follow x sub', 'find -L .', 'find -L . -exec cat {} +', 'find . -exec cat {} +', 'find . -name "k*" -exec cat {} \\;',
    'find . -follow -type f',
    'tar chf a.tar .', 'tar -chf a.tar sub', 'tar --dereference -cf a.tar sub', 'tar chf a.tar -C sub .', 'cp -rL sub e', 'cp -aL sub e',
    'cp -RH k sub e', 'rsync -aL sub/ e', 'rsync -a --copy-unsafe-links sub/ e', 'zip -r a.zip sub', 'ls -L', 'ls -RL sub', 'du -L',
    'du -shL sub', 'diff -r sub src', 'diff sub src',
    'scp -r sub h.example:', '7z a a.7z sub', 'tree -l', 'chown -RL ann sub', 'cd sub && grep -R x', 'grep -R x s*', 'grep -R x far',
    'python3 -m http.server', 'grep -R x sub | wc -l', 'chmod -RL go-r sub', 'find sub -type f -execdir cat abs \\;',
    'find sub -type f -execdir sh -c "cat abs" \\;', 'find sub -type f -okdir cat abs \\;', 'find sub/deep -type f -execdir cat abs \\;',
    'find sub/deep/ -maxdepth 0 -execdir cat abs \\;', 'find sub/deep// -maxdepth 0 -execdir sh -c "cat abs" \\;',
    'find "$PWD"/sub/deep/ -maxdepth 0 -execdir cat abs \\;', 'find sub/to/ -maxdepth 0 -execdir cat abs \\;',
    'find sub/to -type f -execdir cat abs \\;']) {
    t.ok(needs(command).some((key) => key.endsWith(':protected')), `${command}: ${needs(command).join(' ')}`)
  }
  for (const command of ['grep -R x sub/deep', 'cp -rL sub/deep e', 'ls -L sub/deep']) {
    t.same(needs(command).filter((key) => key !== 'write:workspace'), ['read:outside'], command)
  }
  for (const command of ['grep -r x .', 'rg x', 'rg x sub', 'find .', 'find . -type f -exec cat {} +', 'cp -r sub e', 'cp -a sub e',
    'tar cf a.tar sub', 'rsync -a sub/ e', 'zip -ry a.zip sub', 'ls -R', 'du -sh', 'grep -R x src', 'grep -R x inside', 'diff -r src plain',
    'tar chf a.tar src inside', 'ls -L src', 'chmod -R u+w sub',
    'grep -R x README.md', 'rg -L x plain', 'tar xhf a.tar', 'find src -name "*.ts" -exec cat {} +',
    'find src -name "*.ts" -execdir cat {} +', 'find sub -type f -execdir cat {} \\;', 'find sub/to/. -type f -execdir cat README.md \\;',
    'find ./src/deep/ -type f -execdir cat b.ts \\;']) {
    t.same(needs(command).filter((key) => key !== 'write:workspace'), [], command)
  }
})

t.test('what a line has moved, copied or linked is judged where it is then', async (t) => {
  const grants = new Set(['cmd:mv', 'cmd:cp', 'cmd:ln', 'cmd:ln -s', 'cmd:rsync', 'cmd:cat', 'write:outside'])
  for (const command of ['mv k z; cat z', 'cp -P k z; cat z', 'cp -r sub e; cat e/k', 'cp -r sub e; cat e/k*', 'cp -a sub/. e; cat e/k',
    'mv sub e && cat e/k', 'mv sub e; cat e/*', 'mv sub e; cat e/../e/k', 'cp -r sub plain; cat plain/sub/abs',
    'cp -rt plain sub; cat plain/sub/abs', 'rsync -a sub/ e; cat e/k',
    'mv sub e; mv e f; cat f/k', 'mv s* plain; cat plain/sub/abs', 'mv s*/abs plain; cat plain/abs', 'mv sub/ab* plain; cat plain/abs',
    'cp -al k* z; cat z', 'mv su[b] e; cat e/k', 'cp -al sub e; cat e/k', 'git mv sub e; cat e/k', 'mv sub e; grep -R x e',
    'mv sub e; cd e && cat k', 'mv sub e; cat < e/k', 'ln -s ../.ssh z; cat z/id_rsa',
    'cd src/deep && ln -s ../.ssh ../../z && cat ../../z/id_rsa', 'ln -s sub z; cat z/k',
    'ln -s ../../ann/.ssh/id_rsa plain; cat plain/id_rsa', 'cp -s ../.ssh/id_rsa z; cat z', 'for i in 1 2; do cat z; mv k z; done',
    'cat z & mv k z', 'sleep 1 | cat z | mv k z', 'f() { cat z; }; mv k z; f', 'trap "cat z" EXIT; mv k z', 'mv d z; cat z/root/.ssh/x',
    'mv k plain; cat plain/k', '(mv k z); cat z', "sh -c 'mv k z'; cat z",
    'mkdir x; mv sub x/s; cat x/s/abs', 'mkdir -p x/y; mv sub x/y; cat x/y/sub/abs', 'mkdir -p x/y; mv sub/* x/y; cat x/y/abs',
    'mkdir -p x/y; cp -r sub x/y/z; grep -R q x', 'mkdir x; mv sub x/s; mv x z; cat z/*/abs', 'mkdir x; mv sub x/s; mv x z; cat z/s/abs',
    'mkdir -p x/y && mv sub/abs x/y/z && cat x/*/z', 'mkdir x; cp -P sub/abs x/y; mv x z; cat z/y',
    'cp --parents -r far/deep src; cat src/far/deep/abs', 'cp --parents -r far/d* src; cat src/far/deep/abs',
    'rsync -aR sub src; cat src/sub/abs', 'rsync -aR src/../far/./deep src/x; cat src/x/deep/abs', 'ln -sr sub src/z; cat src/z/k',
    'mv --exchange src sub; cat src/abs', 'mv --exchange sub src; cat src/abs',
    'cat z | mv k z', 'cat q | tar xf a.tar', 'cat y & mv z y & mv k z', 'mv */abs z*; cat q', 'ln -s */k src; cat q',
    'ln -s */a.ts src; ln -s ../.ssh src/x; cat src/a.ts']) {
    t.ok(needs(command).some((key) => key === 'read:protected' || key === 'read:outside'), `${command}: ${needs(command).join(' ')}`)
    t.equal(judge(command, { grants }).verdict, 'ask', command)
  }
  t.ok(needs('mv sub/k z; cat z').includes('read:outside'), 'a relative link means another place where it is moved to')
  for (const command of ['mv a b && cat b', 'cp -r src e && cat e/a.ts', 'cp -r src e; cat e/*', 'mv src e; grep -R x e',
    'ln -s src z; cat z/a.ts', 'cp a b; cat b', 'mv src/* plain && cat plain/a.ts', 'mv plain/* . && cat c.txt', 'tar xf a.tgz && ls a',
    'rsync -a src/ e && wc -l e/a.ts', 'mkdir -p x && mv a x && cat x/a', 'cp -r . e && cat e/a',
    'cp -r --parents src/./deep plain; cat plain/src/deep/b.ts']) {
    t.same(needs(command).filter((key) => key !== 'write:workspace'), [], command)
  }
})

t.test('a link whose text is found by a pattern, and a folder below `/./`, are judged where they arrive', async (t) => {
  const place = realpathSync(t.testdir({ '.svc': {}, '.ssh': { id_rsa: 'x' }, w: { x: { 'a.ts': '' }, e: { x: {} }, g: { h: { x: {} } },
    a: { b: { c: {} } }, y: {} } }))
  const linked = { workspace: join(place, 'w'), home: join(place, '.svc'), userHome: place }
  for (const path of ['e/x/a.ts', 'g/h/x/a.ts', 'a/b/c/l']) symlinkSync(join(place, '.ssh/id_rsa'), join(place, 'w', path))
  const keys = (command: string): string[] => judge(command, linked).patternKeys.filter((key) => !/^(?:cmd:.*|write:workspace)$/.test(key))
  for (const command of [
    'ln -s */a.ts e/new; cat e/new', 'ln -s ?/a.ts e/new; cat e/new', 'ln -sT [mx]/a.ts e/new; cat e/new',
    'cd e; ln -s */a.ts new; cat new', 'cp -s */a.ts e/new; cat e/new', 'ln -s */a.ts g; mv g/a.ts g/h/; cat g/h/a.ts',
    'ln -s */a.ts g; cp -a g/a.ts g/h; cat g/h/a.ts', 'ln -s */a.ts g; ln g/a.ts g/h; cat g/h/a.ts',
    'ln -s */a.ts y; mv y/a.ts g/h; cat g/h/a.ts', 'for i in 1 2; do cat g/h/a.ts; mv g/a.ts g/h; ln -s */a.ts g; done',
    'mv g/a.ts g/h & ln -s */a.ts g & cat g/h/a.ts', 'cp -r --parents a/./b y; cat y/a/b/c/l', 'cp -r --parents a/./b/./c y; cat y/a/b/c/l',
    'rsync -aR a/./b y; cat y/b/c/l', 'rsync -aR a/./b/./c y; cat y/b/c/l', 'rsync -aR ./a/b y; cat y/a/b/c/l'
  ]) {
    t.ok(keys(command).includes('read:protected'), `${command}: ${keys(command).join(' ')}`)
  }
  for (const command of [
    'ln -s */a.ts y; cat y/a.ts', 'ln -s */a.ts y/new; cat y/new', 'ln -s */a.ts g; cat g/a.ts', 'mv x/a.ts y; ls y'
  ]) {
    t.same(keys(command), [], command)
  }
})

t.test('everyday lines ask nothing in a workspace without links', async (t) => {
  const place = realpathSync(t.testdir({ '.svc': {}, w: { 'a.txt': '', 'b.txt': '', 'README.md': '', src: { 'a.ts': '', 'b.ts': '' },
    lib: { deep: { 'c.ts': '' } } } }))
  const clean = { workspace: join(place, 'w'), home: join(place, '.svc'), userHome: place }
  for (const command of ['for f in *.txt; do mv "$f" "$f.bak"; done; cat a.txt.bak',
    'for f in *.txt; do cp -a "$f" "$f.bak"; done; cat a.txt', 'mv */*.ts src && cat a.txt', 'ln -s */a.ts src; cat a.txt',
    'ln -s */a.ts src/new; cat src/new', 'ln -s */a.ts .; cat a.ts', 'for i in 1 2; do ln -s */a.ts lib; done; cat lib/a.ts',
    'ln -s */a.ts lib; ln -s */b.ts lib; cat a.txt', 'mkdir x; mv a.txt x; ln -s */a.ts lib; cat a.txt', 'mv src/* lib/*; cat a.txt',
    'cat a.txt | head; git stash', 'cat a.txt | wc -l; tar xf a.tgz', 'cat a.txt | wc -l; git checkout main',
    'git stash && cat a.txt', 'git stash push -m x && echo x > a.txt', 'git restore a.txt && cat a.txt',
    'git restore -SW a.txt && cat a.txt', 'git reset --hard && cat README.md', 'git reset --hard HEAD; cat README.md',
    'find src -type f -execdir cat {} \\;', 'chmod -RL u+w src', 'mkdir -p x/y; mv src x/y && cat x/y/src/a.ts', 'ls * | head; cat */*',
    `mv ${Array.from({ length: 70 }, (_, index) => index).join(' ')} lib; cat lib/1`]) {
    t.same(judge(command, clean).patternKeys.filter((key) => !/^(?:cmd:.*|write:workspace)$/.test(key)), [], command.slice(0, 80))
  }
})

t.test('files that git or an archive brings may be links, however they are read', async (t) => {
  for (const command of [
    'tar xf a.tar; cat q', 'tar xf a.tar; cat < q', 'tar xf a.tar; grep -R x', 'git checkout x; cat q', 'git stash pop; cat q',
    'git stash apply; cat q', 'git restore --source x .; cat q', 'git restore -s x q; cat q', 'git restore -SWs x q; cat q',
    'git reset --hard HEAD~1 && cat q', 'git reset --hard x && cat q', 'git revert x; cat < q', 'cat q & tar xf a.tar',
    'git reset x -- q; git restore q; cat q', 'git reset x; git restore q; cat q', 'git reset --soft x && git reset --hard && cat q',
    'git reset x; git stash; cat q', 'git symbolic-ref HEAD refs/heads/x; git stash; cat q',
    'git update-ref HEAD x; git stash push -m y; cat q', 'git update-index --add --cacheinfo 120000,x,q; git restore q; cat q',
    'git restore --staged -s x q; git restore q; cat q', 'git branch -f main x; git restore q; cat q',
    'git fetch -u . x:main; git reset --hard; cat q', 'git some-alias; git restore q; cat q',
    'for i in 1 2; do git restore q; cat q; git reset x; done', 'git restore q & cat q & git reset x', 'git restore --theirs q; cat q'
  ]) {
    t.ok(needs(command).includes('read:protected'), command)
  }
  for (const command of [
    'tar xf a.tar && ls a', 'git stash list; cat a', 'git reset a; cat a', 'git restore --staged a; cat a',
    'git reset; git restore a; cat a', 'git reset -q HEAD -- a; git restore a; cat a', 'git reset -- a && git restore a && cat a',
    'git restore --staged a; git restore a; cat a', 'git add a; git commit -m x; git restore a; cat a',
    'git status; git diff; git log -3; git branch -a; git stash; cat a', 'git reset x; git stash list; cat a',
    'git reset x; git restore --staged a; cat a', 'git stash; git reset --hard; git --version; git restore a; cat a', 'git log; cat a'
  ]) {
    t.same(needs(command).filter((key) => key !== 'write:workspace'), [], command)
  }
})

t.test('the card names the link and where it leads; the sandbox needs no question', async (t) => {
  t.match(judge('cat k*').description, `It follows links: “k” leads to “${home}/.ssh/id_rsa”.`)
  t.match(judge('cat sub/k').description, `“sub/k” leads to “${home}/.ssh/id_rsa”`)
  t.match(judge('grep -R x sub').description, `“sub/deep/o” leads to “${home}/other”`)
  t.notMatch(judge('cat README.md').description, 'leads to')
  for (const command of ['cat *', 'grep -R x .']) {
    t.match(judge(command, { sandboxed: true }), { verdict: 'allow', confined: true }, command)
  }
})

t.test('a pattern that comes when no more is looked at counts as one that may find links', async (t) => {
  const place = realpathSync(t.testdir({ many: { 1: '', 2: '', 3: '', 4: '', 5: '' }, few: { a: '' } }))
  const disk = new Disk(new Budget(0), undefined, 4)
  disk.linked(join(place, 'many/*'), false)
  t.match(disk, { isCut: true, isMissed: false })
  disk.linked(join(place, 'few/a*'), false)
  t.equal(disk.isMissed, true)
})

t.test('a pattern that could go many ways to a folder goes one', async (t) => {
  const place = realpathSync(t.testdir({ aim: {}, from: {} }))
  const names = Array.from({ length: 60 }, () => 'a').join('/')
  mkdirSync(join(place, 'from', names), { recursive: true })
  symlinkSync(join(place, 'aim'), join(place, 'from', names, 'out'))
  const disk = new Disk(new Budget(0))
  t.ok(disk.linked(`${place}/from/**/**/**/**/**/**/out`, false).some(({ to }) => to === join(place, 'aim')))
  t.equal(disk.isCut, false)
})

t.test('a search through ten thousand folders without links asks nothing; one that repeats itself is cut', async (t) => {
  const place = realpathSync(t.testdir({ '.svc': {}, w: {} }))
  for (let index = 0; index < 10_000; index++) mkdirSync(join(place, 'w', `package-${index % 100}`, `dist-${index}`), { recursive: true })
  const many = { workspace: join(place, 'w'), home: join(place, '.svc'), userHome: place }
  for (const command of ['wc -l **/*.ts', 'grep x **/*.ts **/*.tsx', 'cat **/a.ts']) {
    t.same(judge(command, many).patternKeys.filter((key) => !key.startsWith('cmd:')), [], command)
  }
  const disk = new Disk(new Budget(0))
  disk.linked(`${place}/w/${Array.from({ length: 100 }, () => '**').join('/')}/x`, false)
  t.match(disk, { isCut: true, isMissed: true })
})

t.test('only so many files are looked at, and it is told if there are more', async (t) => {
  const look = (most: number): { found: string[], isCut: boolean } => {
    const disk = new Disk(new Budget(0), undefined, most)
    const found: string[] = []
    disk.below(workspace, Infinity, ({ link }) => found.push(link) === 0)
    return { found, isCut: disk.isCut }
  }
  t.match(look(1_000), { isCut: false, found: { length: 11 } })
  t.equal(look(5).isCut, true)
})
