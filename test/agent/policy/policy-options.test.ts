import { join } from 'node:path'
import t from '#test'
import { decide, type PolicyContext } from '../../../services/agent/policy/index.js'
import { knownCommands } from '../../../services/agent/policy/tables/known.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'
import { lookInRepository } from '../../support/policy-repository.js'
import { everyday, harmful, scripts, steering } from '../../support/policy-options.js'

const terminal = createTools().find(({ name }) => name === 'terminal') as Tool
const context: PolicyContext = {
  workspace: '/home/ann/workspace', home: '/home/ann/.svc', serviceRoots: ['/home/ann/.svc/webui'], userHome: '/home/ann', grants: new Set(), yolo: false, attended: true,
  resolvePath: (path) => join(path, '.').replace(/(.)\/$/, '$1'),
  look: lookInRepository
}
const run = (command: string, grants: readonly string[] = []) => decide({ tool: terminal, args: { command } }, { ...context, grants: new Set(grants) })
/** Returns every permission that can be granted for a program, and for what such a call may touch. */
const broad = (command: string): string[] => [...run(command).patternKeys, `cmd:${command}`, 'write:outside', 'read:outside', 'net:a.example', 'net:b.example']

/** Returns all ways to write an option: whole and abbreviated, with its value separate or joined, alone and after other letters. */
function spellings (option: string, value: string): string[] {
  if (!option.startsWith('--')) return [option, `${option} ${value}`, `${option}${value}`, `-q${option.slice(1)} ${value}`, `-v${option.slice(1)}${value}`, `${option}=${value}`]
  const shortest = 3
  return Array.from({ length: option.length - shortest + 1 }, (_, index) => option.slice(0, shortest + index)).flatMap((name) => [name, `${name} ${value}`, `${name}=${value}`])
}

/** Harmless options whose name is a prefix of another option's, or that take the rest of the word as their value. */
const otherOnes = /^(?:tar --(?:checkpoint|file)[ =]|curl --location |awk -v|npm --(?:no|global) |gradle --i )/

t.test('no spelling of an option that does harm is covered by a grant for the plain call', async (t) => {
  for (const [plain, options] of Object.entries(harmful)) {
    const [command = '', rest = ''] = plain.split(' … ')
    const grants = broad(`${command} ${rest}`.trim())
    for (const option of options.split(' ')) {
      for (const spelling of spellings(option, 'id')) {
        const line = `${command} ${spelling} ${rest}`.trim()
        if (otherOnes.test(line)) continue
        if (run(line, grants).verdict === 'allow') t.fail(line)
      }
    }
  }
  t.pass()
})

t.test('an option that nobody has heard of is covered by no grant, for any program that is known', async (t) => {
  for (const command of knownCommands) {
    const plain = command.replace('*', 'other')
    for (const option of ['--zzz', '--zzz=id', '--zzz id', '--', '-\u00b5', '-\u00b5id'].filter((word) => word !== '--')) {
      const line = `${plain} ${option} a`
      if (run(line, broad(plain)).verdict === 'allow') t.fail(line)
    }
  }
  t.pass()
})

t.test('what may turn out to be an option is covered by no grant', async (t) => {
  for (const word of ['$X', '"$X"', '*', '$(cat x)', '-$X', '--$X', '--"$X"=id', '{--zzz,a}', '?a']) {
    for (const plain of ['git fetch', 'git push', 'tar -cf a.tar', 'sort', 'split', 'rg foo', 'zip a.zip', 'wget https://a.example', 'rsync -a a b', 'aws s3 ls', 'gcloud compute instances list']) {
      if (run(`${plain} ${word}`, broad(plain)).verdict === 'allow') t.fail(`${plain} ${word}`)
    }
  }
  t.not(run('git fetch -- "$X"', broad('git fetch')).patternKeys[0], 'shell:opaque', 'behind -- it is none')
})

t.test('a pattern or a printed word in the place of a program or of an option of an interpreter is covered by no grant', async (t) => {
  for (const line of [
    'nice -n 5 shutdow[n] -h now', 'env r[m] x', 'timeout 5 gi? status', 'bash [-]c y', 'bash --rcfil[e] ./x -i', 'bash * x', 'sh ?c x', 'node [-]e x', 'node * x', 'python ?c x', 'ruby [-]e x',
    'node $(printf %s --experimental-loader) a app.js', 'python $(printf %s -c) x', 'bash $(printf %s -c) x', "node $(printf '\\55e') x"
  ]) t.match(run(line, [...broad(line), 'cmd:node', 'cmd:python', 'cmd:bash', 'cmd:printf']), { verdict: 'ask', maxScope: 'once' }, line)
  for (const line of ['python a.py *', 'bash build.sh *.txt', 'node app.js [a]', '[ -f a ]', 'echo $(printf %s a)']) t.not(run(line).patternKeys[0], 'shell:opaque', line)
})

t.test('what leaves the folder, works on a list that nobody sees, or sets the clock is not covered by a grant for the plain call', async (t) => {
  const forms = {
    'tar xf a.tar': ['tar xPf a.tar', 'tar xPzf a.tar', 'tar -xPf a.tar', 'tar --absolute-names -xf a.tar', 'tar --abs -xf a.tar'],
    'gtar xf a.tar': ['gtar xPf a.tar', 'gtar -xPf a.tar'],
    'bsdtar xf a.tar': ['bsdtar xPf a.tar', 'bsdtar -xPf a.tar', 'bsdtar --absolute-paths -xf a.tar'],
    'unzip a.zip': ['unzip -: a.zip', 'unzip -o: a.zip', 'unzip -:o a.zip'],
    'xz a': ['xz --files=x', 'xz --files x', 'xz --fil=x', 'xz --files0=x'],
    'unxz a': ['unxz --files=x'],
    date: ['date -s 12:00', 'date --set=12:00', 'date --se 12:00', 'date -us 12:00', 'date 010203042026']
  }
  for (const [plain, lines] of Object.entries(forms)) {
    for (const line of lines) t.equal(run(line, run(plain).patternKeys).verdict, 'ask', line)
  }
  for (const line of ['date -Iseconds', 'date +%s', 'date -u +%Y-%m-%d', "date -d 'last week'"]) t.equal(run(line, ['cmd:date']).verdict, 'allow', line)
})

t.test('a variable that steers programs is not set unseen, in whatever way', async (t) => {
  for (const line of steering) {
    const verdict = run(line, ['cmd:ls', 'cmd:*'])
    t.match(verdict, { verdict: 'ask', patternKey: 'shell:opaque', maxScope: 'once' }, line)
  }
  for (const line of ['a[1]=x; ls', 'declare -A m=([k]=v); ls', 'read -r line < x; ls', 'mapfile -t lines < x; ls', '((n=1)); ls', 'unset x; ls', 'printf -v name %s x; ls', 'export -n NAME; ls']) t.not(run(line).patternKey, 'shell:opaque', line)
})

t.test('what counts and calculates with numbers is not asked about each time', async (t) => {
  for (const line of ['echo $(( $(id -u) + 1 ))', 'n=$(wc -l < a); echo $((n+1))', 'i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $((i*2)); done', 'for i in {1..5}; do echo $((i*2)); done',
    'for i in $(seq 5); do echo $((i*2)); done', 'for i in 1 2 3; do echo $((i+1)); done', 's=$(date +%s); ls; echo $(( $(date +%s) - s ))', 'n=$(ls | wc -l); echo $((n+1))',
    'for ((i=0; i<3; i++)); do echo $i; done', 'echo $((RANDOM % 10))', 'echo $((0x1f + 2))', 'f() { echo $(($1 + 1)); }; f 2', 'n=$#; echo $((n+1))', 'read -r a < x; echo "$a"']) {
    t.not(run(line).patternKeys[0], 'shell:opaque', line)
  }
})

t.test('a small program that does more than turn text into text asks', async (t) => {
  for (const line of scripts) t.match(run(line, ['cmd:sed', 'cmd:awk', 'cmd:gawk']), { verdict: 'ask', patternKey: 'shell:opaque', maxScope: 'once' }, line)
})

t.test('what people write every day can be granted', async (t) => {
  for (const line of everyday) {
    const verdict = run(line)
    t.not(verdict.maxScope, 'once', line)
    t.equal(run(line, verdict.patternKeys).verdict, 'allow', line)
  }
})

t.test('an option of a program that nothing is known of has a key of its own', async (t) => {
  t.match(run('mytool run'), { patternKeys: ['cmd:mytool'], maxScope: 'always' })
  t.same(run('mytool --exec=x -j4 run').patternKeys, ['cmd:mytool', 'cmd:mytool --exec', 'cmd:mytool -j'])
  t.equal(run('mytool --exec=x', ['cmd:mytool']).verdict, 'ask')
  t.equal(run('mytool --exec=x', ['cmd:mytool', 'cmd:mytool --exec']).verdict, 'allow')
  t.equal(run('mytool --exe=x', ['cmd:mytool', 'cmd:mytool --exec']).verdict, 'ask')
  t.match(run('mytool -a -b -c -d -e -f -g -h -i'), { maxScope: 'once' }, 'not more than can be read on a card')
})

t.test('where a wrapped or a nested command begins is certain', async (t) => {
  for (const line of ['env --uns ls ./evil', 'env --chd ls ./evil', 'xargs --max-a ls ./evil', 'timeout --sig ls 5 ./evil', 'stdbuf --ou ls ./evil', 'sudo --prom ls ./evil', 'flock --time ls x ./evil', 'strace -o "|id" ls',
    'npm --pref test run evil', 'kubectl --as get delete pod x', 'npx -p evil eslint', 'npx --pack evil eslint', 'uvx --from evil ruff', 'uv run --with evil pytest', 'cargo --conf test build', 'docker --hos ps run x', 'pip --prox install x y']) {
    t.equal(run(line).maxScope, 'once', line)
  }
})

t.test('a mild form is not taken for granted beside what takes it back', async (t) => {
  for (const line of ['git clean -fdx -e -n', 'git clean -n --no-dry-run -f', 'git clean --dry -f', 'git restore --staged --no-staged a']) {
    t.notMatch(run(line, ['cmd:git clean --dry-run', 'cmd:git restore --staged']).verdict, 'allow', line)
    t.match(decide({ tool: terminal, args: { command: line } }, { ...context, sandboxed: true }), { verdict: 'ask', confined: true }, `${line}: in the sandbox`)
  }
})
