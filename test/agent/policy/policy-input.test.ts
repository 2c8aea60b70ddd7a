import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { decide } from '../../../services/agent/policy/index.js'
import { escapableReaders } from '../../../services/agent/policy/tables/wrappers.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'

const terminal = createTools().find(({ name }) => name === 'terminal') as Tool
const root = realpathSync(t.testdir({ home: {}, workspace: {}, svc: {} }))
const context = { workspace: join(root, 'workspace'), home: join(root, 'svc'), serviceRoots: [join(root, 'svc')], userHome: join(root, 'home'), yolo: false, attended: true }
const judge = (command: string, grants: readonly string[] = []) => decide({ tool: terminal, args: { command } }, { ...context, grants: new Set(grants) })

t.test('what programs with a language of their own are given as input is asked about, whatever was granted', async (t) => {
  for (const program of [...escapableReaders, 'ed', 'ex', 'gdb', 'lldb']) {
    const { patternKeys } = judge(`${program} x`)
    for (const line of [`${program} x < in.txt`, `cat in.txt | ${program} x`, `${program} x <<< '!id'`, `${program} x <<'E'\n.shell id\nE`, `printf '\\134!id' | ${program} x`, `${program} x < <(cat in.txt)`, `{ ${program} x; } < in.txt`,
      `exec < in.txt; ${program} x`, `f() { ${program} x; }; f < in.txt`, `while read -r a; do ${program} x; done < in.txt`]) {
      t.match(judge(line, [...patternKeys, 'cmd:cat', 'cmd:printf', 'cmd:exec', 'cmd:read', 'cmd:f']), { verdict: 'ask', maxScope: 'once' }, line)
    }
  }
})

t.test('options that name a script are asked about as well', async (t) => {
  for (const line of ['psql -f x.sql', 'psql --file=x.sql', 'psql -c "\\! id"', 'mysql -e "source x"', 'mysql -e "\\! id"', 'sqlite3 -init x a.db', 'sqlite3 a.db ".shell id"', 'sqlite3 a.db ".read x"', 'sqlite3 -cmd ".shell id" a.db',
    'vi -s x a', 'vim -S x a', 'vi +!id a', 'vim -c "!id" a', 'ex -c "!id" a', 'less "+!id" a', 'gdb -x x', 'gdb -ex "shell id"', 'lldb -s x', 'lldb -o "shell id"', 'man -P id ls', 'man -H./x ls']) {
    t.match(judge(line, ['cmd:psql', 'cmd:mysql', 'cmd:sqlite3', 'cmd:vi', 'cmd:vim', 'cmd:ex', 'cmd:less', 'cmd:gdb', 'cmd:lldb', 'cmd:man']), { verdict: 'ask', patternKey: 'shell:opaque' }, line)
  }
})

t.test('the floor holds for the lines of such input', async (t) => {
  for (const line of ["sqlite3 a.db <<'E'\nselect 1;\n.shell rm -rf /\nE", "psql <<< '\\! rm -rf /'", "echo '!rm -rf /' | dc", "echo '.system rm -rf /' | sqlite3"]) t.match(judge(line), { verdict: 'forbid' }, line)
})

t.test('without input, and for readers of text, nothing is asked that was granted', async (t) => {
  for (const line of ['psql -c "select 1"', 'sqlite3 a.db "select 1"', 'sqlite3 a.db < /dev/null', 'cat a | less', 'cat a | grep b', 'jq . < a.json']) t.not(judge(line).patternKey, 'shell:opaque', line)
})
