/* eslint-disable no-template-curly-in-string -- these are command lines */
import { execFileSync } from 'node:child_process'
import { chmodSync, realpathSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { Type } from '@sinclair/typebox'
import { decide, planEnvironment, type PolicyContext } from '../../../services/agent/policy/index.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'
import { createTerminal } from '../../../services/agent/tools/terminal.js'
import { commandThemes } from '../../support/policy-commands.js'
import { emptyRepository, needsGit } from '../../support/git-repository.js'
import { decideAgain } from '../../support/policy-reading.js'
import { lookInRepository } from '../../support/policy-repository.js'

const tools = new Map(createTools().map((tool) => [tool.name, tool]))
const tool = (name: string): Tool => tools.get(name) as Tool
const context: PolicyContext = {
  workspace: '/home/ann/workspace', home: '/home/ann/.svc', serviceRoots: ['/home/ann/.svc/webui'], programRoots: [], userHome: '/home/ann',
  grants: new Set(), yolo: false, attended: true, sandboxed: true, planning: true,
  resolvePath: (path) => join(path, '.').replace(/(.)\/$/, '$1'), look: lookInRepository
}
const judge = (called: Tool, args: Record<string, unknown>, changes: Partial<PolicyContext> = {}) => decideAgain({ tool: called, args }, { ...context, ...changes })
const run = (command: string, changes: Partial<PolicyContext> = {}) => judge(tool('terminal'), { command }, changes)
const everything: Partial<PolicyContext> = { yolo: true, grants: new Set(['cmd:*', 'write:*', 'mcp:*', 'tool:*', 'net:*', 'git:*', 'shell:opaque']) }

const mcpTool = (onlyReads: boolean | undefined): Tool => ({
  name: 'mcp_notes_add', description: '', parameters: Type.Object({}), risk: 'execute', preview: () => '', run: async () => ({ text: '' }),
  targets: () => ({ mcp: { server: 'notes', tool: 'add', key: 'mcp:notes/add', says: null, isOther: false, ...onlyReads === undefined ? {} : { onlyReads } } })
})

/** Each of the service's tools with arguments, and what plan mode does with the call: `refused`, or the usual judgement. */
const calls: Array<[name: string, args: Record<string, unknown>, verdict: 'refused' | 'allow' | 'ask']> = [
  ['read_file', { path: 'a.ts' }, 'allow'], ['list_files', { path: '.' }, 'allow'], ['search_files', { pattern: 'x' }, 'allow'],
  ['read_file', { path: '/home/ann/other/a.ts' }, 'ask'], ['web_fetch', { url: 'https://example.org/' }, 'ask'],
  ['write_file', { path: 'a.ts', content: 'x' }, 'refused'], ['edit_file', { path: 'a.ts', old_text: 'a', new_text: 'b' }, 'refused'],
  ['memory', { action: 'add', section: 'memory', text: 'x' }, 'refused'], ['skill_save', { name: 'x', content: 'y' }, 'refused'],
  ['schedule', { action: 'create', prompt: 'x', schedule: 'every 30m' }, 'refused'], ['schedule_list', {}, 'allow'], ['skill_view', {}, 'allow'],
  ['todo', { todos: [] }, 'allow'], ['clarify', { question: 'x?' }, 'allow'], ['delegate', { task: 'x' }, 'allow'],
  ['session_search', { query: 'x' }, 'allow'], ['write_plan', { plan: '# Plan' }, 'allow'],
  ['terminal', { command: 'git log -5' }, 'allow'], ['terminal', { command: 'rm a.ts' }, 'refused'],
  ['terminal', { command: 'cat a.ts', unconfined: true }, 'ask'], ['terminal', { command: 'npm install', unconfined: true }, 'refused']
]

t.test('every tool of ours is in the table, and does in plan mode what stands there', (t) => {
  t.same([...tools.keys()].filter((name) => !calls.some(([called]) => called === name)), [])
  const confinable = createTools({ sandbox: { available: true, kind: 'bwrap', program: '/usr/bin/bwrap', version: '1', filters: true } as never })
  for (const [name, args, expected] of calls) {
    const called = name === 'terminal' ? confinable.find((each) => each.name === name) as Tool : tool(name)
    const verdict = judge(called, args)
    t.equal(verdict.verdict, expected === 'refused' ? 'forbid' : expected, `${name} ${JSON.stringify(args)}`)
    if (expected === 'refused') {
      t.match(verdict.reason, /^Refused: .*Plan mode is on/s)
      t.equal(judge(called, args, everything).verdict, 'forbid', `${name}: no grant and no yolo is asked`)
      t.equal(judge(called, args, { ...everything, attended: false }).verdict, 'forbid')
      t.not(judge(called, args, { ...everything, planning: false }).verdict, 'forbid', `${name}: without the mode it runs`)
    }
  }
})

t.test('a tool of an MCP server runs only if the server says that it only reads, and asks as ever', (t) => {
  t.match(judge(mcpTool(undefined), {}, everything), { verdict: 'forbid', reason: /does not say that add only reads.*Plan mode/s })
  t.match(judge(mcpTool(false), {}, everything), { verdict: 'forbid' })
  t.match(judge(mcpTool(true), {}), { verdict: 'ask' })
  t.match(judge(mcpTool(true), {}, everything), { verdict: 'allow' })
})

t.test('a tool of which nothing is known is refused', (t) => {
  for (const risk of ['write', 'execute', 'network', 'state'] as const) {
    const strange: Tool = { name: 'strange', description: '', parameters: Type.Object({}), risk, preview: () => '', run: async () => ({ text: '' }), targets: () => ({}) }
    t.equal(judge(strange, {}, everything).verdict, 'forbid', risk)
  }
})

const reads = [
  'cat a.ts', 'ls -la src', 'head -20 a.ts | tail -5', 'grep -rn "foo" src | wc -l', 'rg foo --glob "*.ts"', 'find . -name "*.ts" -type f',
  'find . -name "*.ts" -exec grep -l foo {} +', 'git status', 'git log --oneline -10', 'git -C sub diff HEAD~1', 'git show HEAD:a.ts', 'git blame a.ts', 'git branch -a',
  'git branch --contains abc', 'git tag -l "v*"', 'git stash list', 'git remote -v', 'git config --get user.name', 'git ls-files | head', 'git grep -n foo',
  'sed -n 1,20p a.ts', "sed 's/a/b/' a.ts", "awk '{ print $1 }' a.ts", 'sort a.txt | uniq -c', 'cat a.ts 2>/dev/null', 'cat a 2>&1', 'cd src && ls', 'tree -L 2',
  'jq .name package.json', 'wc -l $(git ls-files)', 'for f in *.ts; do wc -l "$f"; done', 'if [ -f a ]; then cat a; fi', 'xargs -n1 cat < list', 'bash -c "ls | head"',
  'timeout 5 ls', 'env LANG=C ls', 'LC_ALL=C sort a.txt', 'node --version', 'date +%F', 'echo hello', 'diff a b', 'git diff --stat', 'stat a', 'command -v node',
  'rev a | cut -c1-3', 'git rev-parse HEAD', 'git worktree list', 'x=a.ts; cat "$x"', 'cat <<< hello', 'true && pwd || false', 'uniq -c a', 'cat a | uniq -', 'xxd a', 'time -p ls', 'date -ud @0', 'date -Rd now', 'hostname',
  'declare -i n=0; n=n+1; echo $n', 'git diff -- *.ts'
]
const changes = [
  "sed -i 's/a/b/' a.ts", "sed --in-place 's/a/b/' a.ts", 'sed -ni p a.ts', "sed 's/a/b/w out.txt' a.ts", "sed '1w out' a.ts", "sed 's/x/date/e' a", 'sed -f script a', 'sed -n -s -i.bak p a',
  'git -c core.fsmonitor=./x status', 'git -c core.pager=./x log', 'git --exec-path=. log', 'git --git-dir=x log', 'git commit -m x', 'git add .', 'git checkout main', 'git stash', 'git stash pop',
  'git branch new', 'git branch -D old', 'git branch -m a b', 'git branch --sort committerdate new', 'git tag v1', 'git tag -d v1', 'git config user.name x', 'git config --unset a.b', 'git config --get-all a --add a b', 'git diff --output=x', 'git diff --outpu=x', 'git log --ou=x',
  'git log -p --ext-diff', 'git grep -Oless foo', 'git grep --open-files-in-pager=x foo', 'git fetch', 'git pull', 'git push', 'git reset --hard', 'git worktree add ../x', 'git remote add x y', 'git remote -v update', 'git reflog expire --all', 'git gc', 'git apply p', 'git restore a', 'git clean -fd', 'git submodule update', 'git bisect start', 'git notes add',
  'find . -delete', 'find . -name "*.ts" -exec rm {} \\;', 'find . -exec sh -c "rm $0" {} \\;', 'find . -fprint out', 'find . -fls out', 'find . -ok rm {} \\;', 'find . -execdir touch x \\;', 'fd -x rm', 'fd . --exec rm',
  'echo x > a.ts', 'echo x >> a.ts', 'cat a >| b', 'cat a &> b', 'cat a 2> err.log', 'cat <> a', ': > a', '> a', 'exec 3> a', 'cat a > "$OUT"', 'echo x > /dev/tcp/1.2.3.4/80', 'cat < /dev/tcp/example.org/80',
  'echo x | tee a.ts', 'tee -a a < b', 'cat a | tee >(cat > b)', 'cat > a <<EOF\nx\nEOF', 'sort -o a a', 'sort --output=a a', 'sort --o a', 'sort --compress-program=./x a', 'uniq a b', 'xxd -r a b', 'xxd a b', 'tree -o out', 'tree -R -L 1', 'file -C -m x',
  'rg --pre ./x foo', 'awk \'{ print > "out" }\' a', 'awk \'BEGIN { system("rm a") }\'', 'awk -f script a', 'gawk -i inplace 1 a', 'awk -o out 1 a', 'yq -i .a=1 f', 'shuf -o a a', 'iconv -o a b', 'base64 -o a b',
  'rm a', 'mv a b', 'cp a b', 'touch a', 'mkdir a', 'chmod +x a', 'ln -s a b', 'truncate -s0 a', 'dd if=a of=b', 'install a b', 'patch -p1 < x', 'tar xf a.tar', 'unzip a', 'gzip a', 'split a', 'mktemp',
  'npm install', 'npm test', 'npx tsc', 'make', 'python a.py', 'python -c "open(\'a\',\'w\')"', 'node -e 1', 'perl -pi -e s/a/b/ a', './x.sh', 'bash x.sh', 'sh < x', 'cat x | sh', 'source x', '. x', 'eval "rm a"', 'eval ls',
  '$(echo rm) a', '${X} a', '"$CMD" a', 'curl https://example.org', 'curl -o a https://x', 'wget x', 'ssh host ls', 'docker ps', 'sudo cat a', 'gh issue comment 1', 'kill 1', 'crontab -r', 'nohup ls', 'script -c ls', 'watch ls',
  'ls; rm a', 'ls && rm a', 'ls || rm a', 'ls & rm a', 'ls | xargs rm', 'xargs -I{} sh -c "rm {}" < a', 'xargs sh', '(rm a)', '{ rm a; }', 'f() { rm a; }; f', 'cat() { rm a; }; cat', 'if true; then rm a; fi', 'while read f; do rm "$f"; done', 'ls $(rm a)', 'ls `rm a`', 'cat <(rm a)', 'case x in x) rm a;; esac',
  'time -o out ls', 'env -S "rm a"', 'GIT_PAGER=./x git log', 'GIT_EXTERNAL_DIFF=./x git diff', 'LD_PRELOAD=./x.so ls', 'PATH=. ls', 'BASH_ENV=x bash -c ls', 'alias ls=rm; ls', 'trap "rm a" EXIT', 'date -s 2020-01-01', 'hostname x', 'less a', 'vim a', 'ldd ./x', 'coproc rm a', 'busybox rm a', 'time rm a', 'ls\nrm a', 'ls #\nrm a', "bash -c $'rm a'", 'printf x >a', 'history -w a', 'set -k; ls', 'sort *', 'python -v',
  'uniq - b', 'uniq -- -a b', 'xxd - b', '/usr/bin/time -p -o b ls', 'command time -po b ls', 'date -us2020-01-01', 'hostname ""', 'yarn --version', 'cargo --version', 'NODE_V8_COVERAGE=b npm --version',
  "declare -i n; read n <<< 'a[$(rm a)]'", "read x <<< 'a[$(rm a)]'; b=([x]=1)", 'echo a | xargs --process-slot-var=PATH ls', 'echo a | xargs --p=PATH ls', 'echo a | xargs --pr PATH ls', 'echo a | xargs --process=PATH ls', 'sed -n 1p *', 'git diff HEAD *.ts', 'find *', 'nm --plugin ./x.so a', 'size --plugin ./x.so a', 'declare -i n=$(cat a)', 'declare -a y="$(cat a)"', 'set -- *; echo $(($1))',
  'git grep --op=./x foo'
]

t.test('commands that are known to read run, and as unasked as ever', (t) => {
  for (const command of reads) {
    const [planned, usual] = [run(command), run(command, { planning: false })]
    t.equal(planned.verdict, usual.verdict, `${command}: ${planned.reason ?? ''}`)
    t.not(planned.verdict, 'forbid', command)
  }
  t.match(run('cat a.ts'), { verdict: 'allow', confined: true })
})

t.test('a command that writes, also through one that reads, is refused whatever is granted, with yolo and without a sandbox', (t) => {
  for (const command of changes) {
    for (const [name, more] of Object.entries({ plain: {}, granted: everything, alone: { ...everything, attended: false }, bare: { ...everything, sandboxed: false } })) {
      t.match(run(command, more), { verdict: 'forbid' }, `${JSON.stringify(command)} ${name}`)
    }
  }
})

t.test('of all commands that the policy knows, those that pass are of programs that only look', (t) => {
  const passed = Object.values(commandThemes).flat().map(([command]) => command.replace(/ # .*/s, '')).filter((command) => run(command, everything).verdict !== 'forbid')
  for (const command of passed) t.notMatch(command, /(?:^|[;|&(]\s*)(?:rm|mv|cp|tee|dd|install|curl|wget|npm|python|make|ssh|docker|sudo|chmod|kill|git (?:push|commit))\b/, command)
  t.ok(passed.length > 20, `${passed.length} pass`)
})

t.test('what git would run beside itself when it only looks is refused outside a sandbox; what it does not run then is not', needsGit, (t) => {
  const repository = emptyRepository(realpathSync(t.testdir()))
  const verdict = (command: string, sandboxed: boolean) => {
    const { resolvePath, look, ...rest } = context
    return decide({ tool: tool('terminal'), args: { command } }, { ...rest, ...everything, workspace: repository.root, sandboxed })
  }
  for (const [name, value, isRun] of [
    ['core.hooksPath', '.husky', false], ['core.fsmonitor', './x', false], ['filter.lfs.clean', 'git-lfs clean -- %f', false], ['alias.x', '!./x', false],
    ['filter.x.clean', './x', true], ['diff.external', './x', true], ['diff.x.textconv', './x', true], ['gpg.program', './x', true]
  ] as const) {
    repository.git('config', name, value)
    for (const command of ['git status', 'git log -p']) {
      t.equal(verdict(command, true).verdict, 'allow', `${name}: ${command} in the sandbox`)
      t.match(verdict(command, false), isRun ? { verdict: 'forbid', reason: /git would run a program.*Plan mode/s } : { verdict: 'allow' }, `${name}: ${command}`)
    }
    repository.git('config', '--unset', name)
  }
  // In the service's environment neither of them runs.
  repository.write('x', `#!/bin/sh\ntouch ${repository.root}/ran\n`)
  chmodSync(join(repository.root, 'x'), 0o755)
  repository.write('.husky/post-index-change', repository.read('x'))
  chmodSync(join(repository.root, '.husky/post-index-change'), 0o755)
  for (const [name, value] of [['core.hooksPath', '.husky'], ['core.fsmonitor', './x']] as const) repository.git('config', name, value)
  repository.commitAll('x')
  rmSync(join(repository.root, 'ran'), { force: true })
  utimesSync(join(repository.root, 'x'), 1, 1)
  const { PATH, HOME } = process.env
  execFileSync('git', ['status'], { cwd: repository.root, env: { PATH, HOME, ...planEnvironment } })
  t.notOk(repository.has('ran'))
})

t.test('where there is no bash, a line is read as one for the shell that runs it', (t) => {
  for (const [shell, verdict] of [['/bin/bash', 'allow'], ['/bin/sh', 'ask']] as const) {
    const called = createTerminal(shell) as unknown as Tool
    const judged = judge(called, { command: '[[ a > b ]] && ls' }, { grants: new Set(['cmd:ls']), sandboxed: false, planning: false })
    t.equal(judged.verdict, verdict, `${shell} ${judged.patternKeys.join()}`)
  }
})
